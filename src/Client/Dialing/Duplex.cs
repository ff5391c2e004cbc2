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
