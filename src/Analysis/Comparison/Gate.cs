using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Comparison;

/// <summary>
/// Tells whether a run is worse than another run by more than the limits allow. Each pair of a limit and a cell has one
/// of three outcomes: the whole interval is within the limit (passed), the whole interval is beyond the limit
/// (crossed), or only a part is beyond the limit (not excluded).
/// </summary>
/// <param name="Passed">The number of pairs of a limit and a cell that passed.</param>
/// <param name="Crossed">Crossed limits and failures of calls, as sentences.</param>
/// <param name="NotExcluded">
/// Limits for which only a part of the interval is beyond the limit, or for which there is no interval, as sentences.
/// </param>
/// <param name="Missing">Incomplete runs, and cells that only the first run has, as sentences.</param>
public sealed record Gate(int Passed, IReadOnlyList<string> Crossed, IReadOnlyList<string> NotExcluded, IReadOnlyList<string> Missing)
{
    private const double MostMore = 2;

    /// <summary>Tells whether the gate fails. A strict gate also fails if a limit is not excluded.</summary>
    public bool Fails(bool strict) => Crossed.Count + Missing.Count > 0 || strict && NotExcluded.Count > 0;

    /// <summary>
    /// Checks every common cell against every limit. The intervals are simultaneous: if the two runs are equal, the
    /// probability that any interval is beyond its limit is at most one in twenty, however many limits there are.
    /// </summary>
    public static Gate Check(FileComparison runs, IReadOnlyList<GateLimit> limits, bool judgesFailures = true)
    {
        var comparison = runs.For(limits);
        var (crossed, open, missing, passed) = (new List<string>(), new List<string>(), new List<string>(), 0);
        NamedRun[] files = comparison.IsPaired ? [comparison.After with { Name = "the run" }] : [comparison.Before, comparison.After];
        foreach (var file in files.Where(file => file.Run.Record.Ending != RunEnding.Complete))
            missing.Add($"{file.Name} is not complete ({file.Run.Record.Ending})");
        if (comparison.Cells.Count == 0)
            missing.Add($"{comparison.Before.Name} and {comparison.After.Name} have no cell in common");
        foreach (var key in comparison.OnlyBefore)
            missing.Add($"{key.Arm}, {Arms.NameOf(comparison.Before.Run, Workload.From(key))} is only in {comparison.Before.Name}");
        foreach (var (before, after) in judgesFailures ? comparison.Cells : [])
            JudgeFailures(comparison, before, after, crossed);
        foreach (var limit in limits)
        {
            foreach (var (before, after) in comparison.Cells)
                passed += Judge(comparison, limit, before, after, crossed, open) ? 1 : 0;
        }
        return new Gate(passed, crossed, open, missing);
    }

    /// <summary>
    /// Adds a sentence to the crossed limits in three cases: calls failed or were cut off in the second run but not in
    /// the first run, the share of such calls more than doubled and this rise is significant, or only the second run has
    /// rounds in which no call was completed. A broken server has no values to compare with a limit, but must not pass
    /// the gate.
    /// </summary>
    private static void JudgeFailures(FileComparison comparison, MeasuredCell before, MeasuredCell after, List<string> crossed)
    {
        var where = $"{after.Key.Arm}, {Arms.NameOf(comparison.After.Run, after.Workload)}";
        var silent = after.Rounds.Count(round => round.Record.Completed == 0);
        if (silent > 0 && before.Rounds.All(round => round.Record.Completed > 0))
            crossed.Add(TextBuilding.Invariant($"{where}: no call was completed in {silent} of {after.Rounds.Count} rounds"));
        else if (Lost(before) == 0 && Lost(after) is > 0 and var lost)
            crossed.Add(TextBuilding.Invariant($"{where}: {lost} calls failed or were cut off, none before"));
        else if (Started(after) * (double)Lost(before) * MostMore < Started(before) * (double)Lost(after)
            && RankSum.Estimate(ShareLost(before), ShareLost(after)) > 0
            && RankSum.PValue(ShareLost(before), ShareLost(after)) <= comparison.Alpha)
        {
            crossed.Add(TextBuilding.Invariant($"{where}: {Lost(after)} of {Started(after)} calls failed or were cut off, ")
                + TextBuilding.Invariant($"{Lost(before)} of {Started(before)} before"));
        }
    }

    private static long Lost(MeasuredCell cell) => cell.Rounds.Sum(round => Lost(round));

    private static long Lost(RoundMetrics round) => round.FailedCalls + round.Record.CutOff;

    private static long Started(MeasuredCell cell) => cell.Rounds.Sum(round => round.Record.Started);

    private static List<double> ShareLost(MeasuredCell cell) =>
        [.. cell.Rounds.Select(round => Lost(round) / (double)Math.Max(1, round.Record.Started))];

    /// <summary>
    /// Returns whether the interval is within the limit. If not, adds a sentence with the reason to one of the lists.
    /// </summary>
    private static bool Judge(FileComparison comparison, GateLimit limit, MeasuredCell before, MeasuredCell after, List<string> crossed,
        List<string> open)
    {
        var estimate = comparison.Estimate(before, after, limit.Metric);
        var where = $"{limit.Text} for {after.Key.Arm}, {Arms.NameOf(comparison.After.Run, after.Workload)}";
        if (estimate is null)
            return JudgeZeros(comparison, limit, before, after, where, crossed, open);
        // The values of a side may be lower bounds. Larger true values of the side "worse" move the ratio towards the
        // limit or beyond it. Larger true values of the side "better" move the ratio away from the limit.
        var (worse, better) = limit.Below ? (before, after) : (after, before);
        var isCrossed = limit.IsCrossed(estimate) == true;
        var side = isCrossed ? better : worse;
        // Rounds with the value 0 have no ratio and are left out. If all zeros are on the side "better", a crossed
        // limit stays crossed.
        if (estimate.LeftOut > 0 && (!isCrossed || worse.Values(limit.Metric).Contains(0)))
            open.Add($"{where}: {VerdictText.Describe(Verdict.From(estimate, 0), limit.Metric)}");
        else if (comparison.TooShort(before, after, limit.Metric) is { } why)
            open.Add($"{where}: {why}");
        else if (limit.Metric.IsBound(side.Rounds))
            open.Add($"{where}: {ArmComparison.OnlyBound(limit.Metric, (side == after ? comparison.After : comparison.Before).Name)}");
        else if (isCrossed)
            crossed.Add($"{where}: {limit.Metric.Title} changed by {Change(estimate)}");
        else if (estimate.Interval is not { } interval)
            open.Add(TextBuilding.Invariant($"{where}: undecided: at least {estimate.FewestRounds} rounds in ")
                + TextBuilding.Invariant($"{(comparison.IsPaired ? "common" : "both files")} are needed, not {estimate.Rounds}"));
        else if (limit.IsExcluded(interval))
            return true;
        else
            open.Add($"{where}: {limit.Metric.Title} changed by {Change(estimate)}; these {(comparison.IsPaired ? "rounds" : "files")} "
                + $"could show only a change of {Quantity.Change(limit.Shown(estimate.Ratio, interval))} or more{ByDrift(estimate)}");
        return false;
    }

    private static string Change(RatioEstimate estimate) => $"{Quantity.Change(estimate.Ratio)} "
        + $"[{Quantity.Change(estimate.Interval!.Value.Low)}, {Quantity.Change(estimate.Interval.Value.High)}]";

    private static string ByDrift(RatioEstimate estimate) =>
        estimate.Drift > 0 ? $" ({Quantity.Percent(Math.Exp(estimate.Drift) - 1)} of the change is drift of the machine)" : "";

    /// <summary>
    /// Judges a metric without a ratio, because no two values above 0 can be compared. A rise from zero crosses a limit
    /// on rises, and a fall to zero crosses a limit on falls. The limit is not excluded if the rounds do not prove such
    /// a rise or fall, or if a side lacks the metric. Any other change, and zero on both sides, is within the limit.
    /// </summary>
    /// <returns>True when the metric is within the limit. Otherwise one of the lists has a new sentence.</returns>
    private static bool JudgeZeros(
        FileComparison comparison, GateLimit limit, MeasuredCell before, MeasuredCell after, string where, List<string> crossed,
            List<string> open)
    {
        double[] old = [.. before.Values(limit.Metric)], now = [.. after.Values(limit.Metric)];
        if (old.Length == 0 || now.Length == 0)
        {
            open.Add($"{where}: {(old.Length == 0 ? comparison.Before.Name : comparison.After.Name)} has no {limit.Metric.Title}");
            return false;
        }
        if (Array.Exists(old, value => value > 0) && Array.Exists(now, value => value > 0))
        {
            open.Add($"{where}: undecided: no round has the metric on both sides");
            return false;
        }
        var something = limit.Below ? old : now;
        if (something.All(value => value == 0))
            return true;
        var sentence = TextBuilding.Invariant($"{where}: {limit.Metric.Title} was 0 in all {(limit.Below ? now : old).Length} rounds of ")
            + TextBuilding.Invariant($"{(limit.Below ? comparison.After : comparison.Before).Name}, and is not 0 in ")
            + TextBuilding.Invariant($"{something.Count(value => value > 0)} of {something.Length} rounds of ")
            + (limit.Below ? comparison.Before : comparison.After).Name;
        // For calls that fail on one side only, a single round is proof enough. Any other metric crosses the limit only
        // if it differs from 0 in all rounds of a side, and if there are enough rounds for an interval.
        var isCertain = limit.Metric == Metric.Failed || something.All(value => value > 0)
            && RatioEstimate.FewestUnpaired(comparison.Alpha / comparison.ClaimsOf(limit.Metric)) <= Math.Min(old.Length, now.Length);
        (isCertain ? crossed : open).Add(sentence);
        return false;
    }
}
