using IpcBench.Client.Load;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Callers.Links;

// How it opens, what happens when it dies, and how it opens again.
internal abstract partial class LinkConnection
{
    private const long FirstPauseNs = 10_000_000, LongestPauseNs = 250_000_000;
    private static readonly TimeSpan ReopenAttempt = TimeSpan.FromSeconds(2);

    private TaskCompletionSource? opening;
    private bool reopening;

    public int Reopened { get; private set; }

    public async Task OpenAsync(CancellationToken cancellation)
    {
        var opened = new TaskCompletionSource();
        Link? begun = null;
        await using var registration = cancellation.UnsafeRegister(_ => lane.Post(_ => opened.TrySetCanceled(cancellation), null), null);
        try
        {
            begun = await opener.OpenAsync(lane, this, cancellation);
            ObjectDisposedException.ThrowIf(disposed, this);
            Begin(begun, opened);
            begun.Start();
            await opened.Task;
        }
        catch
        {
            using var inside = Inside();
            opening = null;
            if (begun is not null && ReferenceEquals(link, begun))
            {
                link = null;
                Abandon();
            }
            begun?.Close();
            throw;
        }
    }

    /// <summary>The connection can carry calls.</summary>
    protected void SignalOpen()
    {
        var waiter = opening;
        opening = null;
        Pump();
        waiter?.TrySetResult();
    }

    /// <summary>Ends the link; what is still to be sent is sent if it goes at once.</summary>
    /// <param name="failOut">Ends the calls that are out on it; they may not be sent again yet.</param>
    /// <param name="whyNotOpen">What to tell one who waits for it to open.</param>
    protected void Drop(Action failOut, Func<IOException> whyNotOpen)
    {
        var (old, waiter) = (link, opening);
        if (!Output.IsEmpty)
            old?.Flush(Output);
        Output = new OutputBuffer(pool);
        (link, opening) = (null, null);
        old?.Close();
        failOut();
        ending?.OnDue();
        if (waiter is not null)
            waiter.TrySetException(whyNotOpen());
        else if (!disposed && !reopening && Reopens)
            _ = ReopenAsync();
        if (disposed)
            SetAccepting(false);
    }

    private void Begin(Link begun, TaskCompletionSource opened)
    {
        using var inside = Inside();
        (link, opening) = (begun, opened);
        OnLink();
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
