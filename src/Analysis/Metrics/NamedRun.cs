namespace IpcBench.Analysis.Metrics;

/// <summary>A run in a report, with the name that distinguishes it from the other runs.</summary>
public sealed record NamedRun(string Name, MeasuredRun Run);
