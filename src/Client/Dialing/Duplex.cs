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
