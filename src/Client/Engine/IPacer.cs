namespace IpcBench.Client.Engine;

/// <summary>When the next call should start. Asked by every free stream; one schedule for all of them.</summary>
internal interface IPacer
{
    /// <summary>Calls have a time of their own, so lateness means something.</summary>
    bool IsOpenLoop { get; }

    /// <summary>Claims the next start, in ns of the clock; may lie in the past when all streams were busy. From any thread.</summary>
    long Next(long nowNs);
}
