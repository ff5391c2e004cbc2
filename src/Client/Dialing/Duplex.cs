namespace IpcBench.Client.Dialing;

/// <summary>An open duplex of bytes: sends what it is given without blocking, and tells its owner what arrives.</summary>
internal abstract class Duplex
{
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
