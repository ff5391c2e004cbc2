namespace IpcBench.Analysis.Statistics;

/// <summary>The ratio of a metric of two arms, and its interval.</summary>
public sealed record RatioEstimate
{
    /// <summary>The ratio new / base. 1 means equal.</summary>
    public required double Ratio { get; init; }

    /// <summary>The interval of the ratio. Null when there are too few rounds.</summary>
    public Interval? Interval { get; init; }

    /// <summary>The number of pairs of rounds. For two unpaired samples, the number of rounds of the smaller one.</summary>
    public required int Rounds { get; init; }

    /// <summary>
    /// The number of pairs (for unpaired samples, of rounds of both samples) that are left out because a value is 0,
    /// which has no ratio.
    /// </summary>
    public int LeftOut { get; init; }

    /// <summary>The drift between two runs, as a logarithm, by which each bound of the interval was moved outwards.</summary>
    public double Drift { get; init; }

    /// <summary>The smallest number of rounds or pairs that gives an interval.</summary>
    public required int FewestRounds { get; init; }

    /// <summary>Standard error of the mean of the log ratios of pairs. 0 for unpaired rounds.</summary>
    public double Error { get; init; }

    /// <summary>
    /// Estimates the ratio from pairs of values, each pair from one round. The result is the Hodges–Lehmann estimate of
    /// the log ratios, with an interval of their mean. Null without a pair of positive numbers.
    /// </summary>
    /// <param name="pairs">Pairs of values with the number of their round.</param>
    /// <param name="isLookedAt">See <see cref="Joint.Intervals"/>.</param>
    /// <param name="claims">The number of comparisons that share the error level.</param>
    /// <param name="interval">
    /// Returns the interval that a family computed for the log ratios. Null to compute it from these pairs alone.
    /// </param>
    /// <param name="fewest">
    /// The smallest number of rounds for an interval in a family. Null to compute this number.
    /// </param>
    public static RatioEstimate? FromPairs(IEnumerable<(int Round, double Base, double New)> pairs, bool isLookedAt = false, int claims = 1,
        Func<IReadOnlyList<(int Round, double Value)>, Interval?>? interval = null, int? fewest = null)
    {
        var all = pairs.ToList();
        var logs = all.Where(p => p is { Base: > 0, New: > 0 }).Select(p => (p.Round, Value: Math.Log(p.New / p.Base))).ToList();
        if (logs.Count == 0)
            return null;
        var (estimate, mean) = (SignedRank.Estimate(logs.Select(one => one.Value)), logs.Average(one => one.Value));
        var found = interval is null ? Joint.Intervals([logs], isLookedAt, claims)[0] : interval(logs);
        return new RatioEstimate
        {
            Ratio = Math.Exp(estimate),
            Interval = found?.With(estimate).Exp(),
            Rounds = logs.Count,
            LeftOut = all.Count - logs.Count,
            Error = logs.Count < 2 ? 0
                : Math.Sqrt(logs.Sum(one => (one.Value - mean) * (one.Value - mean)) / (logs.Count - 1) / logs.Count),
            FewestRounds = fewest ?? Joint.FewestRounds(isLookedAt, claims),
        };
    }

    /// <summary>
    /// Estimates the ratio from unpaired rounds: the ratio of the medians, with the rank-sum interval of the log
    /// ratios. Each bound of the interval is moved outwards by <paramref name="drift"/> (a logarithm). The interval
    /// always contains the ratio. Null when one side has no positive number.
    /// </summary>
    public static RatioEstimate? Unpaired(IEnumerable<double> before, IEnumerable<double> after, double alpha, double drift = 0)
    {
        var (old, now) = (before.ToList(), after.ToList());
        double[] a = [.. old.Where(v => v > 0).Select(v => Math.Log(v))], b = [.. now.Where(v => v > 0).Select(v => Math.Log(v))];
        if (a.Length == 0 || b.Length == 0)
            return null;
        var shift = Median(b) - Median(a);
        var interval = RankSum.IntervalOf(a, b, alpha);
        return new RatioEstimate
        {
            Ratio = Math.Exp(shift),
            Interval = interval is { } i ? new Interval(Math.Min(i.Low, shift) - drift, Math.Max(i.High, shift) + drift).Exp() : null,
            Rounds = Math.Min(a.Length, b.Length),
            LeftOut = old.Count + now.Count - a.Length - b.Length,
            Drift = drift,
            FewestRounds = FewestUnpaired(alpha),
        };
    }

    /// <summary>Returns the smallest number of unpaired rounds on each side that gives an interval.</summary>
    public static int FewestUnpaired(double alpha) => Enumerable.Range(1, 50).First(n => RankSum.CriticalValue(n, n, alpha) >= 0);

    /// <summary>Returns the middle value. If the number of values is even, returns the mean of the two middle values.</summary>
    public static double Median(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        return sorted.Length == 0 ? double.NaN : (sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2;
    }
}
