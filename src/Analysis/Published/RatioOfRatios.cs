using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Published;

/// <summary>By which factor a ratio changes between two situations, from rounds that measured all four cells.</summary>
internal static class RatioOfRatios
{
    /// <summary>
    /// (cell / reference) then, divided by (cell / reference) at first, by requests/s; null when a cell is missing or no round has all
    /// four.
    /// </summary>
    public static RatioEstimate? Of(MeasuredRun run, (MeasuredCell? Cell, MeasuredCell? Reference) first,
        (MeasuredCell? Cell, MeasuredCell? Reference) then) =>
        first is { Cell: { } a, Reference: { } b } && then is { Cell: { } c, Reference: { } d }
            ? RatioEstimate.Paired(Pairs(a, b, c, d), StoppingRule.AlphaOf(run.Record.Options.RoundsAuto)) : null;

    private static IEnumerable<(double Base, double New)> Pairs(MeasuredCell a, MeasuredCell b, MeasuredCell c, MeasuredCell d)
    {
        var (rb, rc, rd) = (ByNumber(b), ByNumber(c), ByNumber(d));
        foreach (var (number, rate) in ByNumber(a))
        {
            if (rb.TryGetValue(number, out var other) && rc.TryGetValue(number, out var later)
                && rd.TryGetValue(number, out var laterOther))
                yield return (Ratio(rate, other), Ratio(later, laterOther));
        }
    }

    // A rate of 0 has no ratio; the estimate counts such a round as left out.
    private static double Ratio(double rate, double reference) => reference > 0 ? rate / reference : 0;

    private static Dictionary<int, double> ByNumber(MeasuredCell cell) =>
        cell.Rounds.ToDictionary(round => round.Record.Number, round => round.Rate);
}
