using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;

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
            ? RatioEstimate.FromPairs(Pairs(a, b, c, d), run.Record.Options.IsLookedAt()) : null;

    private static IEnumerable<(int Round, double Base, double New)> Pairs(MeasuredCell a, MeasuredCell b, MeasuredCell c, MeasuredCell d)
    {
        var (rb, rc, rd) = (ByNumber(b), ByNumber(c), ByNumber(d));
        foreach (var (number, rate) in ByNumber(a))
        {
            if (rb.TryGetValue(number, out var other) && rc.TryGetValue(number, out var later)
                && rd.TryGetValue(number, out var laterOther))
                yield return (number, Ratio(rate, other), Ratio(later, laterOther));
        }
    }

    // 0 means that there is no ratio, because the rate of the reference is 0. The estimate leaves such a round out.
    private static double Ratio(double rate, double reference) => reference > 0 ? rate / reference : 0;

    private static Dictionary<int, double> ByNumber(MeasuredCell cell) =>
        cell.Rounds.ToDictionary(round => round.Record.Number, round => round.Rate);
}
