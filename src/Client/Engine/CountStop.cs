namespace IpcBench.Client.Engine;

/// <summary>No more than so many calls start, and none once the window was ended.</summary>
internal sealed class CountStop(long calls, WindowClock clock) : IStopRule
{
    private long left = calls;

    public bool MayStart(long intendedNs, long nowNs) => Math.Max(intendedNs, nowNs) < clock.EndNs && Interlocked.Decrement(ref left) >= 0;
}
