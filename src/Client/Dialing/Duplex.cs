namespace IpcBench.Client.Dialing;

/// <summary>An open connection that carries bytes both ways. It sends without blocking and passes received bytes to its owner.</summary>
internal abstract class Duplex
{
    /// <summary>Tells the duplex which objects its owner will use for the next bytes, so that the duplex can prefetch them.</summary>
    public virtual void NeedSoon(object[] objects)
    {
    }

    /// <summary>Starts passing received bytes to the owner.</summary>
    public abstract void Start();

    /// <summary>
    /// Sends what can be sent at once, and removes sent or copied bytes. <see cref="IDuplexOwner.OnRoom"/> tells when the rest can follow.
    /// </summary>
    public abstract void Flush(OutputBuffer output);

    /// <summary>Closes the duplex at once. The owner ignores what a closed duplex still reports.</summary>
    public abstract void Close();
}

/// <summary>The owner of a <see cref="Duplex"/>. On an event loop one thread calls it, else several threads may at once.</summary>
internal interface IDuplexOwner
{
    /// <summary>Called when bytes have arrived. <paramref name="bytes"/> is valid until this method returns.</summary>
    void OnBytes(Duplex duplex, ReadOnlySpan<byte> bytes);

    /// <summary>Called when the duplex has room for more bytes, so that <see cref="Duplex.Flush"/> can be called again.</summary>
    void OnRoom(Duplex duplex);

    /// <summary>Called when the other side or the system has ended the duplex.</summary>
    /// <param name="fault">The error that broke the duplex. Null when the other side closed it in an orderly way.</param>
    void OnEnd(Duplex duplex, string? fault);
}
