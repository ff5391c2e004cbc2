using IpcBench.Client.Engine;

namespace IpcBench.Client.Dialing;

/// <summary>One connection through all its duplexes: opens, lets one thread in at a time, flushes once when it leaves, and opens again what died.</summary>
internal abstract partial class DuplexConnection : IConnection, IDuplexOwner
{
    private readonly Scheduler scheduler;
    private readonly ILinkOpener opener;
    private readonly BufferPool pool;
    private readonly object? gate;
    private readonly Queue<CallStream> waiting = new();
    private Duplex? duplex;
    private bool accepting;
    private bool isOver;
    private int depth;
    private long received;

    /// <param name="isShared">Several threads may come: each passes a lock. Otherwise all is done on the scheduler's one thread.</param>
    protected DuplexConnection(Scheduler scheduler, ILinkOpener opener, BufferPool pool, bool isShared)
    {
        (this.scheduler, this.opener, this.pool) = (scheduler, opener, pool);
        gate = isShared ? new object() : null;
        Output = new OutputBuffer(pool);
        reopener = new Reopener(scheduler, OpenAsync);
    }

    public abstract IReadOnlyList<IStream> Streams { get; }

    public abstract bool IsOpen { get; }

    public virtual long? StreamsAllowed => null;

    public long? BytesReceived => Volatile.Read(ref received);

    /// <summary>A call can be sent now; true as well when none may be, so that nobody waits for it: see <see cref="WaitForReady"/>.</summary>
    public bool IsReady => accepting && CanSend;

    /// <summary>What is sent when the last one inside leaves; another one for each duplex.</summary>
    protected OutputBuffer Output { get; private set; }

    /// <summary>The connection is up and has room for one more call.</summary>
    protected abstract bool CanSend { get; }

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
        if (!ReferenceEquals(from, duplex))
            return;
        received += bytes.Length;
        Receive(bytes);
    }

    void IDuplexOwner.OnRoom(Duplex from)
    {
        using var inside = Inside();
        if (ReferenceEquals(from, duplex) && !Output.IsEmpty)
            from.Flush(Output);
    }

    void IDuplexOwner.OnEnd(Duplex from, string? fault)
    {
        using var inside = Inside();
        if (ReferenceEquals(from, duplex))
            OnEnd(fault);
    }

    /// <summary>A new duplex is there; what is to be said first goes to <see cref="Output"/>.</summary>
    protected abstract void OnDuplex();

    /// <summary>The duplex that was about to open will not.</summary>
    protected abstract void Abandon();

    protected abstract void Receive(ReadOnlySpan<byte> bytes);

    /// <summary>The other side or the system has ended the duplex; null: in good order.</summary>
    protected abstract void OnEnd(string? fault);

    /// <summary>Nobody needs it any more: ends the duplex and what is out on it.</summary>
    protected abstract void Close();

    /// <summary>Lets those go on who wait, as far as there is room.</summary>
    protected virtual void Pump()
    {
        while (waiting.Count > 0 && IsReady)
            waiting.Dequeue().SignalReady(true);
    }

    /// <summary>A call has succeeded: the server is worth another attempt at once.</summary>
    public void OnSuccess() => reopener.OnSuccess();

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

    // A flush that finds the duplex broken ends its session, and the next session may have something to say already.
    private void Flush()
    {
        for (Duplex? flushed = null; !Output.IsEmpty && duplex is { } now && !ReferenceEquals(now, flushed); flushed = now)
            now.Flush(Output);
    }

    /// <summary>Leaves however its block ends, so that no fault keeps the lock.</summary>
    protected readonly ref struct Scope(DuplexConnection connection)
    {
        public void Dispose() => connection.Leave();
    }
}
