namespace IpcBench.Client.Dialing;

/// <summary>An open connection of bytes. It sends without blocking and passes received bytes to its owner.</summary>
internal abstract class Duplex
{
    /// <summary>Takes the objects that the owner needs for the next bytes, for prefetching.</summary>
    public virtual void NeedSoon(object[] objects)
    {
    }

    /// <summary>Starts delivering to the owner.</summary>
    public abstract void Start();

    /// <summary>Sends as much as possible now and the rest later. Removes from the buffer the bytes that were sent or copied.</summary>
    public abstract void Flush(OutputBuffer output);

    /// <summary>Closes the duplex at once. The owner gets no more calls.</summary>
    public abstract void Close();
}

/// <summary>The receiver of a <see cref="Duplex"/>. Never called by two threads at a time.</summary>
internal interface IDuplexOwner
{
    /// <summary>Called when bytes have arrived. They are valid until this method returns.</summary>
    void OnBytes(Duplex duplex, ReadOnlySpan<byte> bytes);

    /// <summary>Called when there is room for another <see cref="Duplex.Flush"/>.</summary>
    void OnRoom(Duplex duplex);

    /// <summary>Called when the other side or the system has ended the duplex.</summary>
    /// <param name="fault">The error that broke the duplex. Null when the other side closed it in an orderly way.</param>
    void OnEnd(Duplex duplex, string? fault);
}
