using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>A trend inside the windows: calls per 100 ms, averaged over the rounds of a cell, rise or fall from begin to end.</summary>
internal sealed class Steadiness() : CellDoubt("not-steady", "Warm up longer (--warmup 5s) or measure longer (-d 10s).")
{
    private const double LeastChange = 0.03;
    private const double LeastSignificance = 4;
    private const int FewestBuckets = 8;

    protected override Finding? Look(MeasuredRun run, MeasuredCell cell)
    {
        var profile = Profile(cell);
        if (profile.Length < FewestBuckets)
            return null;
        var (change, error) = Trend(profile);
        return Math.Abs(change) > LeastChange && Math.Abs(change) > LeastSignificance * error
            ? new Finding(Math.Abs(change), Invariant($"calls per 100 ms {(change > 0 ? "rise" : "fall")} by {Quantity.Percent(Math.Abs(change))} from the begin to the end of the window"))
            : null;
    }

    /// <summary>Mean over the rounds of each whole bucket, relative to its round's mean.</summary>
    private static double[] Profile(MeasuredCell cell)
    {
        var rounds = cell.Rounds.Where(r => r.Record.Completed > 0).Select(r => r.Record).ToList();
        var length = rounds.Count == 0 ? 0 : rounds.Min(r => Math.Min(r.Buckets.Count, (int)(r.WindowNs / 100_000_000)));
        return [.. Enumerable.Range(0, length).Select(i => rounds.Average(r => r.Buckets[i] / Math.Max(1e-9, r.Buckets.Take(length).Average())))];
    }

    /// <summary>Least-squares change over the whole window, and its standard error.</summary>
    private static (double Change, double Error) Trend(double[] profile)
    {
        var (n, middle, mean) = (profile.Length, (profile.Length - 1) / 2.0, profile.Average());
        var spread = n * (n * (double)n - 1) / 12;
        var slope = profile.Select((value, i) => (i - middle) * (value - mean)).Sum() / spread;
        var residual = profile.Select((value, i) => Math.Pow(value - mean - slope * (i - middle), 2)).Sum() / (n - 2);
        return (slope * n, Math.Sqrt(residual / spread) * n);
    }
}
