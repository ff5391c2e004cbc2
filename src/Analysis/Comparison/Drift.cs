using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Comparison;

/// <summary>
/// The possible difference between two runs that comes from a change of the machine alone. The rounds of one run cannot
/// show this difference, because they were measured within minutes. The files contain two signs of drift. One is the
/// time of the fixed loop, which runs before each cell. The other is that all cells of a round rise and fall together.
/// Each metric has its own drift: rates may drift while bytes per call do not.
/// </summary>
/// <param name="FixedLoop">
/// The change in speed of the fixed loop between the runs, as a logarithm. 0 when the loop was not measured.
/// </param>
/// <param name="Wander">
/// The likely drift between the runs, as a logarithm, estimated from how much all cells of a run rise and fall
/// together.
/// </param>
public sealed record Drift(double FixedLoop, double Wander)
{
    // Runs that are minutes apart differ by more than rounds that are seconds apart: by about three times the spread of
    // the rounds, if the machine's speed is a random walk (CompareTests).
    private const double BetweenRuns = 3;

    /// <summary>The drift by which each bound of an interval is moved outwards, as a logarithm.</summary>
    public double Allowance => Math.Max(FixedLoop, Wander);

    public static Drift Between(MeasuredRun before, MeasuredRun after, Metric metric)
    {
        var (loopBefore, loopAfter) = (FixedLoopOf(before), FixedLoopOf(after));
        var loop = TakesTime(metric) && loopBefore > 0 && loopAfter > 0 ? Math.Abs(Math.Log(loopAfter / loopBefore)) : 0;
        return new Drift(loop, BetweenRuns * Math.Sqrt(CommonVariance(before, metric) + CommonVariance(after, metric)));
    }

    // A slower machine changes times, but not the number of context switches or bytes.
    private static bool TakesTime(Metric metric) => metric.Unit switch
    {
        Unit.PerSecond or Unit.BytesPerSecond or Unit.Nanoseconds or Unit.NanosecondsPerCall => true,
        Unit.Bytes or Unit.Count or Unit.PerCall or Unit.Share => false,
    };

    /// <summary>
    /// Computes how much the cells of a run rise and fall together: the variance over the rounds of the mean deviation
    /// of a round's cells, in the logarithm of the metric. The part that independent noise would cause is subtracted. This is the
    /// analysis of variance of a two-way layout of cells and rounds with one value each, where the noise has (cells − 1) × (rounds − 1)
    /// degrees of freedom. The cells of each load have rounds of their own, and so a layout of their own.
    /// </summary>
    internal static double CommonVariance(MeasuredRun run, Metric metric)
    {
        // At a given load the rate is as requested, and does not drift.
        var cells = run.Cells.Where(cell => (metric != Metric.Rate || cell.Key.IsFullLoad) && cell.Values(metric).Any(value => value > 0))
            .ToList();
        var loads = cells.Select(cell => cell.Key.Load).Distinct().ToList();
        var logs = cells.SelectMany(cell => Deviations(cell, metric, loads.IndexOf(cell.Key.Load))).ToList();
        var rounds = logs.GroupBy(entry => entry.Number).Where(round => round.Any())
            .Select(round => (Mean: round.Average(entry => entry.Log), All: round.ToList())).ToList();
        if (rounds.Count <= loads.Count)
            return 0;
        var mean = rounds.Average(round => round.Mean);
        var common = rounds.Sum(round => Math.Pow(round.Mean - mean, 2)) / (rounds.Count - loads.Count);
        var freedom = logs.Count - rounds.Count - cells.Count + loads.Count;
        var noise = freedom <= 0 ? 0 : rounds.Sum(round => round.All.Sum(entry => Math.Pow(entry.Log - round.Mean, 2))) / freedom;
        return Math.Max(0, common - noise * rounds.Count / logs.Count);
    }

    // The rounds of each load have numbers from 1 to at most a million, and were measured at another time.
    private static IEnumerable<(int Number, double Log)> Deviations(MeasuredCell cell, Metric metric, int load)
    {
        var logs = cell.Rounds.Where(r => metric.Value(r) > 0)
            .Select(r => (r.Record.Number, Log: Math.Log(metric.Value(r)!.Value))).ToList();
        var mean = logs.Average(entry => entry.Log);
        return logs.Select(entry => ((load << 20) + entry.Number, entry.Log - mean));
    }

    private static double FixedLoopOf(MeasuredRun run) =>
        RatioEstimate.Median(run.Cells.SelectMany(cell => cell.Rounds).Select(r => (double)r.Record.FixedLoopNs)
            .Where(ns => ns > 0)) is var median && double.IsNaN(median) ? 0 : median;
}
