namespace IpcBench.Client.Engine;

/// <summary>No call starts once the window has ended.</summary>
internal sealed class DurationStop(WindowClock clock) : IStopRule
{
    public bool MayStart(long intendedNs, long nowNs) => Math.Max(intendedNs, nowNs) < clock.EndNs;
}
