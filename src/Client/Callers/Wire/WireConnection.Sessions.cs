using IpcBench.Client.Load;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Callers.Wire;

// What a session tells: streams that may go on, calls that must be sent again, its end and the next one.
internal sealed partial class WireConnection
{
    void ISessionOwner.OnSessionOpen(WireSession opened)
    {
        var waiter = opening;
        opening = null;
        Pump();
        waiter?.TrySetResult();
    }

    void ISessionOwner.OnStreamEnded() => Pump();

    void ISessionOwner.OnGoAway(WireSession from, int lastId)
    {
        foreach (var stream in streams)
        {
            if (!stream.IsOut || stream.Id <= lastId)
                continue;
            from.Withdraw(stream);
            Withdraw(stream);
        }
    }

    void ISessionOwner.ForEachStream(WireSession from, long argument, Action<WireSession, WireStream, long> visit)
    {
        foreach (var stream in streams)
        {
            if (stream.IsOut && stream.Id != 0)
                visit(from, stream, argument);
        }
    }

    void ISessionOwner.OnSessionClosed(WireSession closed, Http2Error error, string reason)
    {
        var (oldLink, waiter) = (link, opening);
        if (!output.IsEmpty)
            oldLink?.Flush(output);
        output = new OutputBuffer(pool);
        (session, link, opening) = (null, null, null);
        oldLink?.Close();
        var result = CallResult.Failed(error == Http2Error.None ? "connection lost" : "protocol");
        foreach (var stream in streams)
        {
            if (stream.IsOut && stream.Id != 0)
                stream.Complete(result);
        }
        if (waiter is not null)
            waiter.TrySetException(new IOException(error == Http2Error.None ? reason : $"the server does not speak HTTP/2 as it should ({reason})"));
        else if (!disposed && !reopening)
            _ = ReopenAsync();
        if (disposed)
            SetAccepting(false);
    }

    private void Withdraw(WireStream stream)
    {
        stream.Id = 0;
        withdrawn++;
    }

    /// <summary>Sends again what was withdrawn, then lets those go on who wait.</summary>
    private void Pump()
    {
        if (withdrawn > 0)
            SendWithdrawn();
        while (waiting.Count > 0 && IsReady)
            waiting.Dequeue().SignalReady(true);
    }

    private void SendWithdrawn()
    {
        foreach (var stream in streams)
        {
            if (!stream.IsOut || stream.Id != 0 || session is not { IsReady: true } open)
                continue;
            withdrawn--;
            open.Send(stream);
        }
    }

    private async Task ReopenAsync()
    {
        reopening = true;
        var pause = new TimerWait(lane);
        for (var length = FirstPauseNs; !disposed; length = Math.Min(2 * length, LongestPauseNs))
        {
            try
            {
                using var limit = new CancellationTokenSource(ReopenAttempt);
                await OpenAsync(limit.Token);
                Reopened++;
                break;
            }
            catch (Exception e) when (e is IOException or OperationCanceledException or UnauthorizedAccessException or TimeoutException or InvalidOperationException)
            {
                await pause.UntilAsync(MonotonicClock.NowNs + length);
            }
        }
        reopening = false;
    }
}
