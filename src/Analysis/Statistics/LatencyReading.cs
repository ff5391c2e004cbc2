namespace IpcBench.Analysis.Statistics;

/// <summary>A latency in ns, and whether it is only a lower bound because calls that were cut off could change it.</summary>
public readonly record struct LatencyReading(long Ns, bool AtLeast);
