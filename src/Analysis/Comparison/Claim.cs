namespace IpcBench.Analysis.Comparison;

/// <summary>A comparison in a family.</summary>
/// <param name="One">Index of the first cell, the smaller of the two indexes.</param>
/// <param name="What">What is compared: a metric, or a value computed from a round.</param>
/// <param name="Series">
/// The number of each round that both cells have, with the difference One minus Other. Empty before the cells are
/// measured.
/// </param>
internal sealed record Claim(int One, int Other, string What, IReadOnlyList<(int Round, double Value)> Series);
