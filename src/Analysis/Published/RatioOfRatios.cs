using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Published;

/// <summary>The factor by which a ratio differs between two situations, from the rounds that have all four cells.</summary>
internal static class RatioOfRatios
{
    /// <summary>
    /// Computes, from requests/s, the ratio cell / reference of the second situation divided by the ratio of the first
    /// situation. Null when a cell is missing or no round has all four cells.
    /// </summary>
    public static RatioEstimate? Compute(MeasuredRun run, (MeasuredCell? Cell, MeasuredCell? Reference) first,
        (MeasuredCell? Cell, MeasuredCell? Reference) then) =>
        first is { Cell: { } a, Reference: { } b } && then is { Cell: { } c, Reference: { } d }
            ? RatioEstimate.FromPairs(
                from one in a.Rounds
                join other in b.Rounds on one.Record.Number equals other.Record.Number
                join later in c.Rounds on one.Record.Number equals later.Record.Number
                join laterOther in d.Rounds on one.Record.Number equals laterOther.Record.Number
                select (one.Record.Number, Ratio(one, other), Ratio(later, laterOther)), run.Record.Options.IsLookedAt()) : null;

    /// <summary>Shows the ratio of requests/s of two cells with its interval. A dash when it is missing or withheld.</summary>
    public static string Text(MeasuredRun run, MeasuredCell cell, MeasuredCell reference) =>
        ArmComparison.Compare(run, cell, reference, Metric.Rate) is { Verdict: { Withheld.Length: 0 } verdict }
            ? VerdictText.Ratio(verdict.Estimate) : Quantity.None;

    // 0 means that there is no ratio, because the rate of the reference is 0. The estimate leaves such a round out.
    private static double Ratio(RoundMetrics round, RoundMetrics reference) => reference.Rate > 0 ? round.Rate / reference.Rate : 0;
}
