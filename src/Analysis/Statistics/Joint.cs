namespace IpcBench.Analysis.Statistics;

/// <summary>Intervals of several series that hold all at once, whether a run is judged once or after each round.</summary>
public static class Joint
{
    /// <summary>Probability with which any of them may miss its mean.</summary>
    public const double Alpha = 0.05;

    /// <summary>One interval for each series, in their order; null where there is none yet.</summary>
    /// <param name="series">Values by the number of their round.</param>
    /// <param name="isLookedAt">The run may end, or go on, for what it shows: then the intervals hold at every look.</param>
    /// <param name="claims">Series that share the level, those too that have no values yet.</param>
    public static IReadOnlyList<Interval?> Intervals(
        IReadOnlyList<IReadOnlyList<(int Round, double Value)>> series, bool isLookedAt, int claims) => isLookedAt
        ? [.. series.Select(one => ConfidenceSequence.Of([.. one.Select(round => round.Value)], Alpha / claims))]
        : MaxT.Of(series, Alpha * series.Count / Math.Max(1, claims));

    /// <summary>The fewest rounds that can have an interval.</summary>
    /// <param name="isLookedAt">See <see cref="Intervals"/>.</param>
    /// <param name="claims">Series that share the level.</param>
    /// <param name="measured">Those that have values; null: all.</param>
    public static int FewestRounds(bool isLookedAt, int claims, int? measured = null) => isLookedAt
        ? ConfidenceSequence.FewestFor(Alpha / Math.Max(1, claims))
        : SignedRank.FewestFor(Alpha * (measured ?? Math.Max(1, claims)) / Math.Max(1, claims));
}
