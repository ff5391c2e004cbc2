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
    /// Sends as many bytes as possible without blocking, and removes them from the buffer. When the remaining bytes can be
    /// sent, the duplex calls <see cref="IDuplexOwner.OnRoom"/>.
    /// </summary>
    public abstract void Flush(OutputBuffer output);

    /// <summary>Closes the duplex at once. The owner ignores events of a closed duplex.</summary>
    public abstract void Close();
}
