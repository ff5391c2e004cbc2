namespace IpcBench.Client.Dialing;

/// <summary>An open duplex of bytes: sends what it is given without blocking, and tells its owner what arrives.</summary>
internal abstract class Duplex
{
    /// <summary>Is told which objects its owner needs for the next bytes, so that they can be read ahead.</summary>
    public virtual void NeedSoon(object[] objects)
    {
    }

    /// <summary>Begins to deliver to the owner.</summary>
    public abstract void Start();

    /// <summary>Sends as much as goes at once and the rest as soon as it can; takes what it has sent or copied out of the buffer.</summary>
    public abstract void Flush(OutputBuffer output);

    /// <summary>Ends it, at once; the owner hears no more.</summary>
    public abstract void Close();
}

/// <summary>Who hears what a <see cref="Duplex"/> receives. Never two at a time.</summary>
internal interface IDuplexOwner
{
    /// <summary>Bytes have arrived; they are gone when this returns.</summary>
    void OnBytes(Duplex duplex, ReadOnlySpan<byte> bytes);

    /// <summary>There is room again to <see cref="Duplex.Flush"/>.</summary>
    void OnRoom(Duplex duplex);

    /// <summary>The other side or the system has ended it.</summary>
    /// <param name="duplex">Which one.</param>
    /// <param name="fault">What broke it; null when the other side closed it in good order.</param>
    void OnEnd(Duplex duplex, string? fault);
}

/// <summary>A duplex and the output for it: lets one thread in at a time, and flushes once, when the last one leaves.</summary>
internal abstract class FlushLock
{
    private readonly BufferPool pool;
    private readonly object? gate;
    private int depth;

    /// <param name="pool">For the output.</param>
    /// <param name="isShared">Several threads may come: each passes a lock. Otherwise all is done on one thread.</param>
    protected FlushLock(BufferPool pool, bool isShared)
    {
        (this.pool, gate) = (pool, isShared ? new object() : null);
        Output = new OutputBuffer(pool);
    }

    /// <summary>What is sent when the last one inside leaves; another one for each duplex.</summary>
    protected OutputBuffer Output { get; private set; }

    /// <summary>The present one; null while there is none.</summary>
    protected Duplex? Current { get; set; }

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
            // A flush that finds the duplex broken ends it; the one that takes its place may have output already, which is flushed too.
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

    /// <summary>Inside until the end of the block.</summary>
    protected Scope Inside()
    {
        Enter();
        return new Scope(this);
    }

    /// <summary>Ends the duplex; what is still to be sent is sent if it goes at once.</summary>
    protected void CloseCurrent()
    {
        var old = Current;
        if (!Output.IsEmpty)
            old?.Flush(Output);
        Output = new OutputBuffer(pool);
        Current = null;
        old?.Close();
    }

    /// <summary>Leaves however its block ends, so that no fault keeps the lock.</summary>
    protected readonly ref struct Scope(FlushLock inside)
    {
        public void Dispose() => inside.Leave();
    }
}
