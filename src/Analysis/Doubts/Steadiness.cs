using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>Doubts about changes within windows and between rounds of a cell.</summary>
internal static class Steadiness
{
    private const double LeastChange = 0.03;
    private const double LeastSignificance = 4;
    private const int FewestBuckets = 8;
    private const int FewestRounds = 6;
    private const double LeastDistance = 0.08;

    // The smallest trend that is reported, in standard deviations of the test. If the order of the rounds were random,
    // one of a thousand cells would have such a trend. With fewer than eight rounds there is no test.
    private const double LeastDeviations = 3.29;
    private const int FewestOfTrend = 8;

    // The smallest distance between the two groups that is reported, in standard deviations within the groups. The best
    // split of normally distributed rounds rarely gives groups this far apart (simulated by DoubtTests).
    private const double LeastSeparation = 8;

    /// <summary>Reports that the calls per 100 ms rise or fall during the window, on average over the rounds of a cell.</summary>
    public static Observation? Trend(MeasuredRun run, MeasuredCell cell)
    {
        // If the run failed, windows with failed calls are left out: a fall of the rate at the end of such a window is no trend.
        var died = RunEnding.Failure(run.Record.Ending) is not null;
        var profile = Profile(cell.Rounds.Where(round => !died || round.FailedCalls + round.Record.CutOff == 0));
        if (profile.Length < FewestBuckets)
            return null;
        var (change, error) = LeastSquares(profile);
        return Math.Abs(change) > LeastChange && Math.Abs(change) > LeastSignificance * error
            ? new Observation(Math.Abs(change),
                $"calls per 100 ms {(change > 0 ? "rise" : "fall")} by {Quantity.Percent(Math.Abs(change))} "
                + "from the beginning to the end of the window")
            : null;
    }

    /// <summary>
    /// Reports that the headline metric rises or falls from the first to the last round of a cell, by Mann and
    /// Kendall's test. The server gets slower or faster with age, or the machine changed.
    /// </summary>
    public static Observation? TrendOverRounds(MeasuredRun run, MeasuredCell cell)
    {
        var metric = ArmComparison.Headline(cell);
        double[] logs = [.. cell.Values(metric).Where(value => value > 0).Select(value => Math.Log(value))];
        if (logs.Length < FewestOfTrend)
            return null;
        var (n, score) = (logs.Length, 0);
        for (var later = 1; later < n; later++)
            score += logs.Take(later).Sum(earlier => Math.Sign(logs[later] - earlier));
        var deviations = (Math.Abs(score) - 1) / Math.Sqrt(n * (n - 1.0) * (2 * n + 5) / 18);
        var change = Math.Exp(LeastSquares(logs).Change * (n - 1) / n) - 1;
        return deviations > LeastDeviations && Math.Abs(change) > LeastChange
            ? new Observation(Math.Abs(change), $"{metric.Title} {(change > 0 ? "rise" : "fall")} by {Quantity.Percent(Math.Abs(change))} "
                + Invariant($"from the first to the last of {n} rounds"))
            : null;
    }

    /// <summary>
    /// Reports that the rounds of a cell form two groups. The usual reason is that the scheduler placed client and
    /// server in two different ways.
    /// </summary>
    public static Observation? TwoGroups(MeasuredRun run, MeasuredCell cell)
    {
        double[] rates = [.. cell.Rounds.Where(r => r.Rate > 0).Select(r => r.Rate).Order()];
        if (rates.Length < FewestRounds)
            return null;
        var best = Enumerable.Range(2, rates.Length - 3)
            .Select(split => (Split: split, Separation: Separation(rates[..split], rates[split..]))).MaxBy(s => s.Separation);
        var (slow, fast) = (rates[..best.Split], rates[best.Split..]);
        var distance = fast.Average() / slow.Average() - 1;
        return best.Separation > LeastSeparation && distance > LeastDistance
            ? new Observation(distance, Invariant($"{slow.Length} rounds are near {Quantity.Count(slow.Average())} requests/s ")
                + Invariant($"and {fast.Length} near {Quantity.Count(fast.Average())}, and none between"))
            : null;
    }

    /// <summary>Computes the calls of each complete bucket as a multiple of the mean of its round, averaged over the rounds.</summary>
    private static double[] Profile(IEnumerable<RoundMetrics> counted)
    {
        var rounds = counted.Where(r => r.Record.Completed > 0).Select(r => r.Record).ToList();
        var length = rounds.Count == 0 ? 0 : rounds.Min(r => Math.Min(r.Buckets.Count, (int)(r.WindowNs / Measurement.BucketNs)));
        return [.. Enumerable.Range(0, length)
            .Select(i => rounds.Average(r => r.Buckets[i] / Math.Max(1e-9, r.Buckets.Take(length).Average())))];
    }

    /// <summary>
    /// Computes the change from the beginning to the end of the series by a least-squares line, and its standard error.
    /// </summary>
    private static (double Change, double Error) LeastSquares(double[] profile)
    {
        var (n, middle, mean) = (profile.Length, (profile.Length - 1) / 2.0, profile.Average());
        var spread = n * (n * (double)n - 1) / 12;
        var slope = profile.Select((value, i) => (i - middle) * (value - mean)).Sum() / spread;
        var residual = profile.Select((value, i) => Math.Pow(value - mean - slope * (i - middle), 2)).Sum() / (n - 2);
        return (slope * n, Math.Sqrt(residual / spread) * n);
    }

    private static double Separation(double[] slow, double[] fast)
    {
        var within = Math.Sqrt((Squares(slow) + Squares(fast)) / (slow.Length + fast.Length - 2));
        return (fast.Average() - slow.Average()) / Math.Max(within, 1e-9);
    }

    private static double Squares(double[] values)
    {
        var mean = values.Average();
        return values.Sum(value => (value - mean) * (value - mean));
    }
}
