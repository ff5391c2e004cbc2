namespace IpcBench.Analysis.Comparison;

/// <summary>A comparison in a <see cref="ClaimFamily"/>.</summary>
/// <param name="One">Index of the first cell, the smaller of the two indexes.</param>
/// <param name="What">What is compared: a metric, or a value computed from a round.</param>
/// <param name="Series">
/// For each round of both cells, its number and the logarithm of One / Other. For a claim of <see cref="DerivedClaims"/>,
/// the value of the claim instead, negated if One is the reference. Empty before the cells are measured.
/// </param>
internal sealed record Claim(int One, int Other, string What, IReadOnlyList<(int Round, double Value)> Series);
