namespace IpcBench.Client.Engine;

/// <summary>The pacer of a closed loop. The next call of a stream starts when the stream's previous call has ended.</summary>
internal sealed class ClosedPacer(WindowClock clock, long? calls) : Pacer(clock, calls)
{
    public override bool IsOpenLoop => false;

    public override long Claim(long nowNs) => nowNs;
}
