using IpcBench.Client.Engine;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Dialing;

/// <summary>
/// One connection through all its duplexes. It opens a duplex, tells its streams when a call can be sent, and opens a
/// new duplex after a failure. One thread at a time may enter, and the last to leave flushes the output once.
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

    /// <param name="scheduler">Runs the connection. Unless the scheduler has a single thread, each thread takes a lock.</param>
    protected DuplexConnection(Scheduler scheduler, Dialer dialer)
    {
        (this.scheduler, this.dialer, reopener) = (scheduler, dialer, new Reopener(scheduler, OpenAsync));
        (pool, gate) = (dialer.PoolFor(scheduler), dialer.UsesLoops ? null : new object());
        Output = new OutputBuffer(pool);
    }

    /// <summary>The bytes that the last thread to leave flushes.</summary>
    protected OutputBuffer Output { get; private set; }

    /// <summary>The present duplex. Null when there is none.</summary>
    protected Duplex? Current { get; private set; }

    public abstract IReadOnlyList<IStream> Streams { get; }

    public abstract bool IsOpen { get; }

    public virtual bool IsUp => IsOpen;

    public virtual long? StreamsAllowed => null;

    public long? BytesReceived => Volatile.Read(ref received);

    public virtual BlockedTime? Blocked => null;

    /// <summary>False when the connection is for one call, so that a failure does not open it again.</summary>
    public bool Reopens { get; init; } = true;

    public int Reopened => reopener.Reopened;

    /// <summary>True when a call can be sent now. Otherwise <see cref="WaitForReady"/> tells when, or that the load is over.</summary>
    public bool IsReady => accepting && CanSend;

    /// <summary>True during the load, when calls may be sent.</summary>
    public bool IsAccepting => accepting;

    /// <summary>Objects that the next reply and the next call use, on connections that prefetch.</summary>
    protected virtual object[] NeededSoon => [];

    /// <summary>True when the connection is up and has room for one more call.</summary>
    protected abstract bool CanSend { get; }

    /// <summary>True when the server closes the connection after the last reply.</summary>
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
            // A flush that finds its duplex broken ends the duplex. A new duplex may take its place and already have
            // output, which is flushed too.
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
        // Disposing the registration would wait for a running callback, and would continue on another thread than the
        // loop's. A late callback does nothing.
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
    /// Called when another worker waits for the calls of a stream. On a connection with one stream, all objects of
    /// the next reply are known and can be prefetched. Only sockets of an event loop prefetch, since only there does
    /// no other thread change the objects.
    /// </summary>
    public void OnWaiter()
    {
        if (dialer.UsesLoops && Streams.Count == 1 && Streams[0] is CallStream only && NeededSoon is { Length: > 0 } path)
            Current?.NeedSoon([this, only, .. only.Waiters, Output, .. path]);
    }

    /// <summary>Called when a call has succeeded. After the next failure, the connection is opened again at once.</summary>
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

    /// <summary>Called when a new duplex is open. Writes the first bytes to <see cref="Output"/>.</summary>
    protected abstract void OnDuplex();

    /// <summary>Called when the duplex could not be opened.</summary>
    protected abstract void Abandon();

    /// <summary>Called when output was flushed and there may be room for more.</summary>
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

    /// <summary>Lets waiting streams continue while there is room.</summary>
    protected virtual void Pump()
    {
        while (waiting.Count > 0 && IsReady)
            waiting.Dequeue().SignalReady(true);
    }

    /// <summary>Called when the connection can carry calls.</summary>
    protected void SignalOpen()
    {
        var waiter = opening;
        opening = null;
        Pump();
        waiter?.TrySetResult();
    }

    /// <summary>Closes the duplex. Waiting output is sent only if this is possible at once.</summary>
    /// <param name="failOut">Ends the calls in flight on the duplex, but must not send them again yet.</param>
    /// <param name="whyNotOpen">The error for a caller that waits for the connection to open.</param>
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

    /// <summary>Enters until the end of the block.</summary>
    protected Scope Inside()
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

    /// <summary>Leaves even if the block throws, so that the lock is never kept.</summary>
    protected readonly ref struct Scope(DuplexConnection inside)
    {
        public void Dispose() => inside.Leave();
    }

    /// <summary>Waits until the other side ends the duplex, at most <see cref="EndPatienceNs"/>.</summary>
    private sealed class EndWait : ILoopTimer
    {
        private readonly TaskCompletionSource over = new();

        public Task Over => over.Task;

        public void OnDue() => over.TrySetResult();
    }
}
