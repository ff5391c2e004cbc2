namespace IpcBench.Client.Dialing;

// How it opens, what happens when it dies, and how it opens again.
internal abstract partial class DuplexConnection
{
    private readonly Reopener reopener;
    private TaskCompletionSource? opening;

    /// <summary>False: it is for one call, and what died stays dead.</summary>
    public bool Reopens { get; init; } = true;

    public int Reopened => reopener.Reopened;

    public async Task OpenAsync(CancellationToken cancellation)
    {
        var opened = new TaskCompletionSource();
        Duplex? begun = null;
        await using var registration = cancellation.UnsafeRegister(_ => scheduler.Post(_ => opened.TrySetCanceled(cancellation), null), null);
        try
        {
            begun = await opener.OpenAsync(scheduler, this, cancellation);
            ObjectDisposedException.ThrowIf(isOver, this);
            Begin(begun, opened);
            begun.Start();
            await opened.Task;
        }
        catch
        {
            using var inside = Inside();
            opening = null;
            if (begun is not null && ReferenceEquals(duplex, begun))
            {
                duplex = null;
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

    /// <summary>Ends the duplex; what is still to be sent is sent if it goes at once.</summary>
    /// <param name="failOut">Ends the calls that are out on it; they may not be sent again yet.</param>
    /// <param name="whyNotOpen">What to tell one who waits for it to open.</param>
    protected void Drop(Action failOut, Func<IOException> whyNotOpen)
    {
        var (old, waiter) = (duplex, opening);
        if (!Output.IsEmpty)
            old?.Flush(Output);
        Output = new OutputBuffer(pool);
        (duplex, opening) = (null, null);
        old?.Close();
        failOut();
        ending?.OnDue();
        if (waiter is not null)
            waiter.TrySetException(whyNotOpen());
        else if (!Reopens)
            isOver = true;
        else
            reopener.OnDeath();
        if (isOver)
            SetAccepting(false);
    }

    private void Begin(Duplex begun, TaskCompletionSource opened)
    {
        using var inside = Inside();
        (duplex, opening) = (begun, opened);
        OnDuplex();
    }
}
