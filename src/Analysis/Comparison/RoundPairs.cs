using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Comparison;

/// <summary>The values that a metric has for two cells in the same round.</summary>
/// <param name="Base">The value of the reference cell.</param>
/// <param name="New">
/// The value of the cell that is compared. If the round has slices, this value is <paramref name="Base"/> times the
/// ratio estimated from the slices.
/// </param>
public sealed record RoundPair(int Number, double Base, double New)
{
    /// <summary>Whether both values are above 0, so that they have a ratio.</summary>
    public bool HasRatio => this is { Base: > 0, New: > 0 };

    /// <summary>Logarithm of New / Base.</summary>
    public double Log => Math.Log(New / Base);
}

/// <summary>Pairs the rounds of two cells by their number.</summary>
public static class RoundPairs
{
    // The logarithm of a ratio to 0, as a number with which sums can be calculated.
    private const double Boundless = 1e6;

    /// <summary>Pairs the values of all rounds that have the metric in both cells.</summary>
    public static IEnumerable<RoundPair> Match(MeasuredCell cell, MeasuredCell reference, Metric metric) =>
        from mine in cell.Rounds
        join theirs in reference.Rounds on mine.Record.Number equals theirs.Record.Number
        let pair = (Base: metric.Value(theirs), New: metric.Value(mine))
        where pair is { Base: not null, New: not null }
        select new RoundPair(mine.Record.Number, pair.Base!.Value, LogRatio(mine.Record.Slices, theirs.Record.Slices, metric) is { } log
            ? pair.Base.Value * Math.Exp(log) : pair.New!.Value);

    /// <summary>
    /// Estimates the log ratio of two cells in a round from its slices. Slice i of one arm is measured close in time to
    /// slice i of the other arm, so both contain nearly the same noise of the machine. The Hodges–Lehmann estimate from the
    /// pairs of slices is robust against slices in which one arm was stopped for a while. Null when the round has no
    /// slices or the slices lack the metric.
    /// </summary>
    public static double? LogRatio(SliceReadings? mine, SliceReadings? theirs, Metric metric)
    {
        if (Values(mine, metric) is not { } values || Values(theirs, metric) is not { } others)
            return null;
        // A slice in which only one arm completed calls is a very large difference. If most slices are such, the whole round decides.
        double[] logs = [.. values.Zip(others).Where(pair => pair is { First: > 0, Second: > 0 }
                || (metric == Metric.Rate && (pair.First > 0 || pair.Second > 0)))
            .Select(pair => pair.First <= 0 ? -Boundless : pair.Second <= 0 ? Boundless : Math.Log(pair.First / pair.Second))];
        return logs.Length > 0 && SignedRank.Estimate(logs) is var log && Math.Abs(log) < Boundless / 4 ? log : null;
    }

    private static IEnumerable<double>? Values(SliceReadings? slices, Metric metric) =>
        slices is null ? null
        : metric == Metric.Rate ? slices.Rates
        : metric == Metric.ClientCpu ? slices.ClientCpuNs
        : metric == Metric.ServerCpu ? slices.ServerCpuNs
        : metric == Metric.TotalCpu && slices is { ClientCpuNs: { } client, ServerCpuNs: { } server }
            ? client.Zip(server, (one, other) => one + other) : null;
}
