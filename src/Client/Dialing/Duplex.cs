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
    /// <param name="fault">What broke it; null when the other side closed it in an orderly way.</param>
    void OnEnd(Duplex duplex, string? fault);
}
