using IpcBench.Client.Engine;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Dialing;

/// <summary>
/// A connection that outlives its duplexes. It opens a duplex, tells its streams when a call can be sent, and opens a new duplex
/// after a failure. One thread at a time may be between <see cref="Enter"/> and <see cref="Leave"/>. The last Leave of nested
/// pairs flushes the output once.
/// </summary>
internal abstract class DuplexConnection : IConnection, IDuplexOwner
{
    private const long EndPatienceNs = 100_000_000;

    private readonly BufferPool pool;
    private readonly object? gate;
    private readonly Scheduler scheduler;
    private readonly Dialer dialer;
    private readonly Reopener reopener;
    private readonly Queue<CallStream> waiting = new();
    private TaskCompletionSource? opening;
    private EndWait? ending;
    private int depth;
    private bool accepting;
    private bool isOver;
    private long received;

    /// <param name="scheduler">Runs the connection. If the scheduler is not an event loop, <see cref="Enter"/> takes a lock.</param>
    protected DuplexConnection(Scheduler scheduler, Dialer dialer)
    {
        (this.scheduler, this.dialer, reopener) = (scheduler, dialer, new Reopener(scheduler, OpenAsync));
        (pool, gate) = (dialer.PoolFor(scheduler), dialer.UsesLoops ? null : new object());
        Output = new OutputBuffer(pool);
    }

    /// <summary>The bytes to send. The outermost <see cref="Leave"/> of nested calls flushes these bytes.</summary>
    protected OutputBuffer Output { get; private set; }

    /// <summary>The duplex that is in use now. Null when there is none.</summary>
    protected Duplex? Current { get; private set; }

    public abstract IReadOnlyList<IStream> Streams { get; }

    public abstract bool IsOpen { get; }

    public virtual bool IsUp => IsOpen;

    public virtual long? StreamsAllowed => null;

    public long? BytesReceived => Volatile.Read(ref received);

    public virtual BlockedTime? Blocked => null;

    /// <summary>False when the connection serves only one call and is not opened again after a failure.</summary>
    public bool Reopens { get; init; } = true;

    public int Reopened => reopener.Reopened;

    /// <summary>
    /// True when a call can be sent now. Otherwise <see cref="WaitForReady"/> signals the stream when a call can be sent, or when the
    /// load is over.
    /// </summary>
    public bool IsReady => accepting && CanSend;

    /// <summary>True during the load, when calls may be sent.</summary>
    public bool IsAccepting => accepting;

    /// <summary>Objects to prefetch: the next reply and the next call use them. Empty when there are none.</summary>
    protected virtual object[] NeededSoon => [];

    /// <summary>True when the connection is up and has room for one more call.</summary>
    protected abstract bool CanSend { get; }

    /// <summary>True when the protocol lets the server close the connection after the last reply.</summary>
    protected virtual bool ServerEndsFirst => false;

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
            // A flush ends a broken duplex. Then a new duplex may already be in use, and the output for the new duplex is flushed
            // too.
            for (Duplex? flushed = null; depth == 1 && !Output.IsEmpty && Current is { } now && now != flushed; flushed = now)
                now.Flush(Output);
        }
        finally
        {
            depth--;
            if (gate is not null)
                Monitor.Exit(gate);
        }
    }

    public async Task OpenAsync(CancellationToken cancellation)
    {
        var opened = new TaskCompletionSource();
        Duplex? begun = null;
        // The registration is not disposed: Dispose would block the loop's thread while a callback runs, and after DisposeAsync this
        // method could continue on another thread. A callback that runs too late does nothing.
        var registration = cancellation.UnsafeRegister(_ => scheduler.Post(_ =>
        {
            // Under the lock, so that no call is sent on a connection that is given up.
            using (Inside())
            {
                if (opened.TrySetCanceled(cancellation) && ReferenceEquals(opening, opened))
                    GiveUp();
            }
        }, null), null);
        try
        {
            begun = await dialer.OpenAsync(scheduler, this, cancellation);
            ObjectDisposedException.ThrowIf(isOver, this);
            using (Inside())
            {
                cancellation.ThrowIfCancellationRequested();
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
            if (begun is not null && ReferenceEquals(Current, begun))
                GiveUp();
            opening = null;
            begun?.Close();
            throw;
        }
        finally
        {
            registration.Unregister();
        }
    }

    private void GiveUp()
    {
        (Current, opening) = (null, null);
        Abandon();
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
    /// Called when another worker begins to wait for the calls of a stream, and when a duplex opens. If the connection
    /// has one stream, the objects that the next reply uses are known, and the duplex prefetches them. Only sockets of
    /// an event loop prefetch: elsewhere other threads may change these objects.
    /// </summary>
    public void OnWaiter()
    {
        if (dialer.UsesLoops && Streams.Count == 1 && Streams[0] is CallStream only && NeededSoon is { Length: > 0 } path)
            Current?.NeedSoon([this, only, .. only.Waiters, Output, .. path]);
    }

    /// <summary>Called when a call has succeeded. If the connection then fails, it is opened again without a pause.</summary>
    public void OnSuccess() => reopener.OnSuccess();

    public async ValueTask FinishAsync()
    {
        // The side that closes first keeps the port in TIME_WAIT for a minute. In this protocol the server closes
        // first, so the client waits.
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

    /// <summary>Called when a new duplex is open, to write the first bytes to <see cref="Output"/>.</summary>
    protected abstract void OnDuplex();

    /// <summary>Called when a new duplex is given up before a call can be sent on it.</summary>
    protected abstract void Abandon();

    /// <summary>Called when output was flushed, so that there may be room for more output.</summary>
    protected virtual void Flushed()
    {
    }

    protected abstract void Receive(ReadOnlySpan<byte> bytes);

    /// <summary>
    /// Called when the duplex has ended. <paramref name="fault"/> is null when the other side closed it in an orderly way.
    /// </summary>
    protected abstract void OnEnd(string? fault);

    /// <summary>Ends the duplex and the calls in flight on it, since the connection is no longer needed.</summary>
    protected abstract void Close();

    /// <summary>Lets waiting streams send, as long as the connection has room for calls.</summary>
    protected virtual void Pump()
    {
        while (waiting.Count > 0 && IsReady)
            waiting.Dequeue().SignalReady(true);
    }

    /// <summary>Ends the wait in <see cref="OpenAsync"/>, and lets waiting streams send. Called when calls can be sent.</summary>
    protected void SignalOpen()
    {
        var waiter = opening;
        opening = null;
        Pump();
        waiter?.TrySetResult();
    }

    /// <summary>Closes the duplex. Sends as much of the waiting output as possible without blocking.</summary>
    /// <param name="failOut">Ends the calls in flight. Must not send these calls again yet, because there is no duplex.</param>
    /// <param name="whyNotOpen">Makes the error for a caller that waits for the connection to open.</param>
    protected void Drop(Action failOut, Func<IOException> whyNotOpen)
    {
        var waiter = opening;
        opening = null;
        var old = Current;
        if (!Output.IsEmpty)
            old?.Flush(Output);
        (Output, Current) = (new OutputBuffer(pool), null);
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

    /// <summary>Enters the connection, and leaves it when the result is disposed.</summary>
    public Scope Inside()
    {
        Enter();
        return new Scope(this);
    }

    private void End()
    {
        isOver = true;
        reopener.Stop();
        Close();
    }

    /// <summary>Leaves the connection at the end of a <c>using</c> block, even if the block throws, so that the lock is released.</summary>
    public readonly ref struct Scope(DuplexConnection inside)
    {
        public void Dispose() => inside.Leave();
    }

    /// <summary>Waits until the other side has ended the duplex, but at most <see cref="EndPatienceNs"/>.</summary>
    private sealed class EndWait : ILoopTimer
    {
        private readonly TaskCompletionSource over = new();

        public Task Over => over.Task;

        public void OnDue() => over.TrySetResult();
    }
}
