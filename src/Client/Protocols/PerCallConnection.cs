using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Protocols;

/// <summary>
/// Makes each call on a connection of its own, which is opened for the call and closed after it. The latency includes
/// the opening but not the closing. The next call waits for the closing.
/// </summary>
internal sealed class PerCallConnection : IConnection, IStream
{
    private readonly Scheduler scheduler;
    private readonly Func<Scheduler, IConnection> make;
    private readonly ConnectLog log;
    private readonly BackOff pause;
    private readonly Lock gate = new();
    private IConnection? current;
    private CancellationTokenSource? opening;
    private long sentNs;
    private bool isCutOff;
    private long received;
    private volatile bool accepting;

    private PerCallConnection(Scheduler scheduler, Func<Scheduler, IConnection> make, ConnectLog log)
    {
        (this.scheduler, this.make, this.log, pause) = (scheduler, make, log, new BackOff(scheduler));
        Streams = [this];
    }

    /// <summary>Makes a source for any protocol. Every call opens a connection of the source <paramref name="inner"/>.</summary>
    public static ConnectionSource Each(ConnectionSource inner)
    {
        var log = new ConnectLog();
        return inner with { Make = scheduler => new PerCallConnection(scheduler, inner.Make, log), Connects = log };
    }

    public IReadOnlyList<IStream> Streams { get; }

    /// <summary>True after a successful connect, until a connect fails. A cut-off or a lack of local ports changes nothing.</summary>
    public bool IsOpen { get; private set; }

    public int Reopened => 0;

    public long? BytesReceived => Volatile.Read(ref received);

    /// <summary>Connects once to check that there is a server. Throws if there is none, so that no load begins.</summary>
    public async Task OpenAsync(CancellationToken cancellation)
    {
        var first = make(scheduler);
        try
        {
            await first.OpenAsync(cancellation);
            IsOpen = true;
        }
        finally
        {
            await first.DisposeAsync();
        }
    }

    public ValueTask<bool> ReadyAsync() => current is null && pause.IsNone ? new(accepting) : ReadyLaterAsync();

    public async ValueTask<CallResult> CallAsync(long sentNs)
    {
        var connection = make(scheduler);
        var limit = new CancellationTokenSource();
        lock (gate)
            (current, opening, this.sentNs, isCutOff) = (connection, limit, sentNs, false);
        if (await OpenAsync(connection, limit) is { } failure)
            return failure;
        connection.SetAccepting(true);
        var call = connection.Streams[0];
        return await call.ReadyAsync() ? Noted(await call.CallAsync(sentNs)) : NeverSent();
    }

    public void CutOff(long sentBeforeNs)
    {
        IConnection late;
        CancellationTokenSource? connecting;
        lock (gate)
        {
            if (current is null || sentNs >= sentBeforeNs)
                return;
            (late, connecting, isCutOff) = (current, opening, true);
        }
        if (connecting is not null)
        {
            connecting.Cancel();
            return;
        }
        late.SetAccepting(false); // the call may still wait for the server to let it begin
        late.CutOff(sentBeforeNs);
    }

    public void SetAccepting(bool accepting) => this.accepting = accepting;

    public async ValueTask DisposeAsync()
    {
        accepting = false;
        if (current is { } last)
            await last.DisposeAsync();
    }

    /// <returns>Null when the connection was opened. Otherwise the result of the failed call.</returns>
    private async ValueTask<CallResult?> OpenAsync(IConnection connection, CancellationTokenSource limit)
    {
        try
        {
            await connection.OpenAsync(limit.Token);
            log.Record(MonotonicClock.NowNs - sentNs);
            IsOpen = true;
            lock (gate)
                opening = null;
            return null;
        }
        catch (OperationCanceledException)
        {
            return CallResult.CutOff;
        }
        catch (NoLocalPortException)
        {
            pause.Lengthen();
            return CallResult.Failed("no local port");
        }
        catch (Exception)
        {
            // A connect may throw any exception of the system or of a library. The call then counts as failed.
            IsOpen = false;
            pause.Lengthen();
            return CallResult.Failed("connect");
        }
    }

    private CallResult Noted(CallResult result)
    {
        if (result.IsOk)
            pause.Reset();
        return result;
    }

    /// <summary>
    /// Returns the result of a call that was not sent although its connection was opened. The call was cut off, or the
    /// connection died at once.
    /// </summary>
    private CallResult NeverSent()
    {
        lock (gate)
        {
            if (isCutOff)
                return CallResult.CutOff;
        }
        pause.Lengthen();
        return CallResult.Failed(FailureKind.ConnectionLost);
    }

    private async ValueTask<bool> ReadyLaterAsync()
    {
        IConnection? last;
        lock (gate)
            (last, current, opening) = (current, null, null);
        if (last is not null)
        {
            await last.FinishAsync();
            received += last.BytesReceived ?? 0;
        }
        if (accepting)
            await pause.WaitAsync();
        return accepting;
    }
}
