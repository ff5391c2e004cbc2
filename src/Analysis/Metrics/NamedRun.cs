
namespace IpcBench.Analysis.Metrics;

/// <summary>One run in a report, and the name that tells it from the others.</summary>
public sealed record NamedRun(string Name, MeasuredRun Run);
