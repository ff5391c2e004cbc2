namespace IpcBench.Client.Engine;

/// <summary>A stream's next call starts when its last one has ended.</summary>
internal sealed class ClosedPacer : IPacer
{
    public bool IsOpenLoop => false;

    public long Next(long nowNs) => nowNs;
}
