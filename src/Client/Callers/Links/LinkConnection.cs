using IpcBench.Client.Load;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Callers.Links;

/// <summary>One connection through all its links: opens, lets one thread in at a time, flushes once when it leaves, and opens again what died.</summary>
internal abstract class LinkConnection : ICallConnection, ILinkOwner
{
    private const long FirstPauseNs = 10_000_000, LongestPauseNs = 250_000_000;
    private static readonly TimeSpan ReopenAttempt = TimeSpan.FromSeconds(2);

    private readonly Lane lane;
    private readonly ILinkOpener opener;
    private readonly BufferPool pool;
    private readonly object? gate;
    private readonly Queue<LinkCall> waiting = new();
    private Link? link;
    private TaskCompletionSource? opening;
    private bool accepting;
    private bool disposed;
    private bool reopening;
    private int depth;

    /// <param name="isShared">Several threads may come: each passes a lock. Otherwise all is done on the lane's one thread.</param>
    protected LinkConnection(Lane lane, ILinkOpener opener, BufferPool pool, bool isShared)
    {
        (this.lane, this.opener, this.pool) = (lane, opener, pool);
        gate = isShared ? new object() : null;
        Output = new OutputBuffer(pool);
    }

    public abstract IReadOnlyList<ICaller> Callers { get; }

    public abstract bool IsOpen { get; }

    public int Reopened { get; private set; }

    public virtual long? StreamsAllowed => null;

    /// <summary>A call can be sent now; true as well when none may be, so that nobody waits for it: see <see cref="WaitForReady"/>.</summary>
    public bool IsReady => accepting && CanSend;

    /// <summary>What is sent when the last one inside leaves; another one for each link.</summary>
    protected OutputBuffer Output { get; private set; }

    /// <summary>The connection is up and has room for one more call.</summary>
    protected abstract bool CanSend { get; }

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

    public void Enter()
    {
        if (gate is not null)
            Monitor.Enter(gate);
        depth++;
    }

    public void Leave()
    {
        try
        {
            if (depth == 1)
                Flush();
        }
        finally
        {
            depth--;
            if (gate is not null)
                Monitor.Exit(gate);
        }
    }

    public void WaitForReady(LinkCall call)
    {
        using var inside = Inside();
        if (accepting && !disposed)
            waiting.Enqueue(call);
        else
            call.SignalReady(false);
        Pump();
    }

    public abstract void CutOff(long sentBeforeNs);

    public void SetAccepting(bool value)
    {
        using var inside = Inside();
        accepting = value;
        while (!value && waiting.TryDequeue(out var call))
            call.SignalReady(false);
    }

    public ValueTask DisposeAsync()
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        lane.Post(_ =>
        {
            using (Inside())
            {
                disposed = true;
                Close();
            }
            done.SetResult();
        }, null);
        return new(done.Task);
    }

    void ILinkOwner.OnBytes(Link from, ReadOnlySpan<byte> bytes)
    {
        using var inside = Inside();
        if (ReferenceEquals(from, link))
            Receive(bytes);
    }

    void ILinkOwner.OnRoom(Link from)
    {
        using var inside = Inside();
        if (ReferenceEquals(from, link) && !Output.IsEmpty)
            from.Flush(Output);
    }

    void ILinkOwner.OnEnd(Link from, string reason)
    {
        using var inside = Inside();
        if (ReferenceEquals(from, link))
            OnEnd(reason);
    }

    /// <summary>A new link is there; what is to be said first goes to <see cref="Output"/>.</summary>
    protected abstract void OnLink();

    /// <summary>The link that was about to open will not.</summary>
    protected abstract void Abandon();

    protected abstract void Receive(ReadOnlySpan<byte> bytes);

    /// <summary>The other side or the system has ended the link.</summary>
    protected abstract void OnEnd(string reason);

    /// <summary>Nobody needs it any more: ends the link and what is out on it.</summary>
    protected abstract void Close();

    /// <summary>The connection can carry calls.</summary>
    protected void SignalOpen()
    {
        var waiter = opening;
        opening = null;
        Pump();
        waiter?.TrySetResult();
    }

    /// <summary>Lets those go on who wait, as far as there is room.</summary>
    protected virtual void Pump()
    {
        while (waiting.Count > 0 && IsReady)
            waiting.Dequeue().SignalReady(true);
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
        if (waiter is not null)
            waiter.TrySetException(whyNotOpen());
        else if (!disposed && !reopening)
            _ = ReopenAsync();
        if (disposed)
            SetAccepting(false);
    }

    protected Scope Inside()
    {
        Enter();
        return new Scope(this);
    }

    private void Begin(Link begun, TaskCompletionSource opened)
    {
        using var inside = Inside();
        (link, opening) = (begun, opened);
        OnLink();
    }

    // A flush that finds the link broken ends its session, and the next session may have something to say already.
    private void Flush()
    {
        for (Link? flushed = null; !Output.IsEmpty && link is { } now && !ReferenceEquals(now, flushed); flushed = now)
            now.Flush(Output);
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

    /// <summary>Leaves however its block ends, so that no fault keeps the lock.</summary>
    protected readonly ref struct Scope(LinkConnection connection)
    {
        public void Dispose() => connection.Leave();
    }
}
