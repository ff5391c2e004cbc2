namespace IpcBench.Client.Dialing;

/// <summary>An open connection of bytes: it sends without blocking and passes received bytes to its owner.</summary>
internal abstract class Duplex
{
    /// <summary>Takes the objects that its owner needs for the next bytes, for prefetching.</summary>
    public virtual void NeedSoon(object[] objects)
    {
    }

    /// <summary>Starts delivering to the owner.</summary>
    public abstract void Start();

    /// <summary>Sends as much as possible now and the rest later; removes from the buffer the bytes that it has sent or copied.</summary>
    public abstract void Flush(OutputBuffer output);

    /// <summary>Closes it at once; the owner gets no more calls.</summary>
    public abstract void Close();
}

/// <summary>The receiver of a <see cref="Duplex"/>. Never called by two threads at a time.</summary>
internal interface IDuplexOwner
{
    /// <summary>Bytes have arrived; they are valid until this method returns.</summary>
    void OnBytes(Duplex duplex, ReadOnlySpan<byte> bytes);

    /// <summary>There is room for another <see cref="Duplex.Flush"/>.</summary>
    void OnRoom(Duplex duplex);

    /// <summary>The other side or the system has ended the duplex.</summary>
    /// <param name="duplex">The duplex that ended.</param>
    /// <param name="fault">What broke it; null when the other side closed it in an orderly way.</param>
    void OnEnd(Duplex duplex, string? fault);
}

/// <summary>A duplex and its output: one thread at a time may enter, and the last to leave flushes once.</summary>
internal abstract class FlushLock
{
    private readonly BufferPool pool;
    private readonly object? gate;
    private int depth;

    /// <param name="pool">The buffers of the output.</param>
    /// <param name="isShared">Several threads may enter, so a lock is needed; false: one thread does everything.</param>
    protected FlushLock(BufferPool pool, bool isShared)
    {
        (this.pool, gate) = (pool, isShared ? new object() : null);
        Output = new OutputBuffer(pool);
    }

    /// <summary>The bytes that are flushed at the last leave.</summary>
    protected OutputBuffer Output { get; private set; }

    /// <summary>The present duplex; null without one.</summary>
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
            // A flush that finds its duplex broken ends it. A new duplex may take its place and have output already, which is flushed too.
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

    /// <summary>Enters until the end of the block.</summary>
    protected Scope Inside()
    {
        Enter();
        return new Scope(this);
    }

    /// <summary>Closes the duplex; waiting output is sent only if that is possible at once.</summary>
    protected void CloseCurrent()
    {
        var old = Current;
        if (!Output.IsEmpty)
            old?.Flush(Output);
        Output = new OutputBuffer(pool);
        Current = null;
        old?.Close();
    }

    /// <summary>Leaves even if the block throws, so that the lock is never kept.</summary>
    protected readonly ref struct Scope(FlushLock inside)
    {
        public void Dispose() => inside.Leave();
    }
}
