namespace IpcBench.Analysis.Metrics;

/// <summary>The place in the plan at which arms are compared: same size, connections, streams and load.</summary>
public sealed record Point(long Size, int Connections, int Streams, string Load);
