namespace IpcBench.Analysis.Statistics;

/// <summary>Simultaneous intervals of several series, for a run that is judged once or after every round.</summary>
public static class Joint
{
    /// <summary>The probability that at least one interval misses its mean.</summary>
    public const double Alpha = 0.05;

    /// <summary>Computes an interval for each series, in the same order. Null for a series that has too few rounds.</summary>
    /// <param name="series">Values with the number of their round.</param>
    /// <param name="isLookedAt">
    /// Whether the run may end or go on depending on its results, so that the intervals must hold at every look.
    /// </param>
    /// <param name="claims">How many series share the error level <see cref="Alpha"/>. Series without values count too.</param>
    public static IReadOnlyList<Interval?> Intervals(
        IReadOnlyList<IReadOnlyList<(int Round, double Value)>> series, bool isLookedAt, int claims) => isLookedAt
        ? [.. series.Select(one => ConfidenceSequence.Compute([.. one.Select(round => round.Value)], Alpha / claims))]
        : MaxT.Compute(series, Alpha * series.Count / Math.Max(1, claims));

    /// <summary>Computes the smallest number of rounds that gives an interval.</summary>
    /// <param name="isLookedAt">See <see cref="Intervals"/>.</param>
    /// <param name="claims">The number of series that share the error level <see cref="Alpha"/>.</param>
    /// <param name="measured">The number of series with values. Null when all series have values.</param>
    public static int FewestRounds(bool isLookedAt, int claims, int? measured = null) => isLookedAt
        ? ConfidenceSequence.FewestFor(Alpha / Math.Max(1, claims))
        : SignedRank.FewestFor(Alpha * (measured ?? Math.Max(1, claims)) / Math.Max(1, claims));
}
