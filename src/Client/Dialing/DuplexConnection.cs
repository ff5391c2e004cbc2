using IpcBench.Client.Engine;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Dialing;

/// <summary>
/// One connection through all its duplexes: opens, tells its streams when a call can be sent, and opens again what died.
/// </summary>
internal abstract class DuplexConnection : FlushLock, IConnection, IDuplexOwner
{
    private const long EndPatienceNs = 100_000_000;

    private readonly Scheduler scheduler;
    private readonly Dialer dialer;
    private readonly Reopener reopener;
    private readonly Queue<CallStream> waiting = new();
    private TaskCompletionSource? opening;
    private EndWait? ending;
    private bool accepting;
    private bool isOver;
    private long received;

    /// <param name="scheduler">Where it lives. When that is not one thread, each that comes passes a lock.</param>
    /// <param name="dialer">Opens its duplexes.</param>
    protected DuplexConnection(Scheduler scheduler, Dialer dialer)
        : base(dialer.PoolFor(scheduler), isShared: !dialer.UsesLoops) =>
        (this.scheduler, this.dialer, reopener) = (scheduler, dialer, new Reopener(scheduler, OpenAsync));

    public abstract IReadOnlyList<IStream> Streams { get; }

    public abstract bool IsOpen { get; }

    public virtual bool IsUp => IsOpen;

    public virtual long? StreamsAllowed => null;

    public long? BytesReceived => Volatile.Read(ref received);

    public virtual BlockedTime? Blocked => null;

    /// <summary>False: the connection is for a single call and is not opened again after a failure.</summary>
    public bool Reopens { get; init; } = true;

    public int Reopened => reopener.Reopened;

    /// <summary>A call can be sent now. When none can, <see cref="WaitForReady"/> says when, or that no more may be.</summary>
    public bool IsReady => accepting && CanSend;

    /// <summary>There is load, and calls may be sent.</summary>
    public bool IsAccepting => accepting;

    /// <summary>Objects that the next reply goes through, and the call after it, where there are many.</summary>
    protected virtual object[] NeededSoon => [];

    /// <summary>The connection is up and has room for one more call.</summary>
    protected abstract bool CanSend { get; }

    /// <summary>The last reply is followed by the server's close.</summary>
    protected virtual bool ServerEndsFirst => false;

    public async Task OpenAsync(CancellationToken cancellation)
    {
        var opened = new TaskCompletionSource();
        Duplex? begun = null;
        // Disposing the registration would wait for a callback that runs, and continue on another thread than the loop's. A callback
        // that comes too late does nothing.
        var registration = cancellation.UnsafeRegister(_ => scheduler.Post(_ => opened.TrySetCanceled(cancellation), null), null);
        try
        {
            begun = await dialer.OpenAsync(scheduler, this, cancellation);
            ObjectDisposedException.ThrowIf(isOver, this);
            using (Inside())
            {
                (Current, opening) = (begun, opened);
                OnDuplex();
                OnWaiter();
            }
            begun.Start();
            await opened.Task;
        }
        catch
        {
            using var inside = Inside();
            opening = null;
            if (begun is not null && ReferenceEquals(Current, begun))
            {
                Current = null;
                Abandon();
            }
            begun?.Close();
            throw;
        }
        finally
        {
            registration.Unregister();
        }
    }

    public void WaitForReady(CallStream call)
    {
        using var inside = Inside();
        if (accepting && !isOver)
            waiting.Enqueue(call);
        else
            call.SignalReady(false);
        Pump();
    }

    public abstract void CutOff(long sentBeforeNs);

    public virtual void OnWindow()
    {
    }

    public virtual void SetAccepting(bool value)
    {
        using var inside = Inside();
        accepting = value;
        while (!value && waiting.TryDequeue(out var call))
            call.SignalReady(false);
    }

    /// <summary>
    /// Another object waits for the calls of a stream. With one stream all is known that the next reply goes through; only sockets of an
    /// event loop make use of it, and only there nobody else changes it meanwhile.
    /// </summary>
    public void OnWaiter()
    {
        if (dialer.UsesLoops && Streams.Count == 1 && Streams[0] is CallStream only && NeededSoon is { Length: > 0 } path)
            Current?.NeedSoon([this, only, .. only.Waiters, Output, .. path]);
    }

    /// <summary>A call has succeeded: the server is worth another attempt at once.</summary>
    public void OnSuccess() => reopener.OnSuccess();

    public async ValueTask FinishAsync()
    {
        // Who closes first keeps the port for a minute (TIME_WAIT): the client must not take that over from the server.
        if (ServerEndsFirst && IsOpen)
        {
            EndWait wait;
            using (Inside())
                wait = ending = new EndWait();
            scheduler.Schedule(MonotonicClock.NowNs + EndPatienceNs, wait);
            await wait.Over;
        }
        using var inside = Inside();
        End();
    }

    public ValueTask DisposeAsync()
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        scheduler.Post(_ =>
        {
            using (Inside())
                End();
            done.SetResult();
        }, null);
        return new(done.Task);
    }

    void IDuplexOwner.OnBytes(Duplex from, ReadOnlySpan<byte> bytes)
    {
        using var inside = Inside();
        if (!ReferenceEquals(from, Current))
            return;
        received += bytes.Length;
        Receive(bytes);
    }

    void IDuplexOwner.OnRoom(Duplex from)
    {
        using var inside = Inside();
        if (!ReferenceEquals(from, Current))
            return;
        if (!Output.IsEmpty)
            from.Flush(Output);
        Flushed();
    }

    void IDuplexOwner.OnEnd(Duplex from, string? fault)
    {
        using var inside = Inside();
        if (ReferenceEquals(from, Current))
            OnEnd(fault);
    }

    /// <summary>A new duplex is there; what is to be said first goes to <see cref="FlushLock.Output"/>.</summary>
    protected abstract void OnDuplex();

    /// <summary>The duplex that was about to open will not.</summary>
    protected abstract void Abandon();

    /// <summary>There was room again for what is to be sent; there may be still.</summary>
    protected virtual void Flushed()
    {
    }

    protected abstract void Receive(ReadOnlySpan<byte> bytes);

    /// <summary>The other side or the system has ended the duplex; a fault of null: the other side closed it in good order.</summary>
    protected abstract void OnEnd(string? fault);

    /// <summary>Nobody needs it any more: ends the duplex and what is out on it.</summary>
    protected abstract void Close();

    /// <summary>Lets those go on who wait, as far as there is room.</summary>
    protected virtual void Pump()
    {
        while (waiting.Count > 0 && IsReady)
            waiting.Dequeue().SignalReady(true);
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
        var waiter = opening;
        opening = null;
        CloseCurrent();
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

    private void End()
    {
        isOver = true;
        reopener.Stop();
        Close();
    }

    /// <summary>Waits for the other side to end a duplex, but not for ever.</summary>
    private sealed class EndWait : ILoopTimer
    {
        private readonly TaskCompletionSource over = new();

        public Task Over => over.Task;

        public void OnDue() => over.TrySetResult();
    }
}
