namespace IpcBench.Analysis.Statistics;

/// <summary>What a window shows about one term of an objective.</summary>
/// <param name="Rate">The requested calls per second.</param>
/// <param name="Calls">The number of calls that could be judged by the term.</param>
/// <param name="Against">
/// The sum of what counts against the term. Each call that was too slow or failed counts 1. For a mean, each call
/// counts with its time in ns.
/// </param>
public sealed record Probe(double Rate, double Calls, double Against);
