using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Published;

/// <summary>A published ratio compared with the measured ratio and its interval.</summary>
public sealed record PublishedVerdict(PublishedRatio Published, ArmComparison Measured, double Delta)
{
    /// <summary>Compares the ratios. Null when one of the two cells was not measured.</summary>
    public static PublishedVerdict? Compare(MeasuredRun run, PublishedRatio published) =>
        published.Cell.In(run) is { } cell && published.Reference.In(run, cell.Key.Client) is { } reference
        && ArmComparison.Of(run, cell, reference, Metric.Rate) is { } measured
        ? new PublishedVerdict(published, measured, run.Record.Options.Delta) : null;

    private RatioEstimate Estimate => Measured.Verdict.Estimate;

    /// <summary>The reason why the measured ratio has no verdict, whatever its interval. Empty when the interval decides.</summary>
    private string Withheld => Measured.Verdict.Withheld;

    public Agreement Agreement
    {
        get
        {
            if (!Published.IsKnown)
                return Agreement.NothingToCompare;
            if (Withheld.Length > 0 || Estimate.LeftOut > 0 || Estimate.Interval is not { } interval)
                return Agreement.CannotTell;
            if (interval.Low >= Low && interval.High <= High)
                return Agreement.Agrees;
            if (interval.High < Published.Low || interval.Low > Published.High)
                return Agreement.Differs;
            return interval.Contains(1) && (Low > 1 || High < 1) ? Agreement.CannotTell : Agreement.Compatible;
        }
    }

    /// <summary>The verdict in words.</summary>
    public string Text => Agreement switch
    {
        Agreement.NothingToCompare => "nothing to compare",
        Agreement.Agrees => "agrees",
        Agreement.Compatible => "compatible: as published" + Beyond(Estimate.Interval!.Value),
        Agreement.CannotTell when Withheld.Length > 0 => $"cannot tell: {Withheld}",
        Agreement.CannotTell when Estimate.LeftOut > 0 || Estimate.Interval is null =>
            $"cannot tell: {VerdictText.Open(Verdict.From(Estimate, Delta), Metric.Rate)}",
        Agreement.CannotTell => "cannot tell: interval too wide",
        _ => "differs: " + Difference(Estimate.Interval!.Value),
    };

    // A published ratio has no interval. Differences smaller than delta do not matter, so the published range is
    // widened by delta.
    private double Low => Published.Low / (1 + Delta);

    private double High => Published.High * (1 + Delta);

    private string Beyond(Interval interval) =>
        interval.Low < Low && interval.High > High ? ", less or more" : interval.Low < Low == Published.Low > 1 ? " or less" : " or more";

    private string Difference(Interval interval)
    {
        var claimsFaster = Published.Low > 1;
        if (interval.Low >= 1 / (1 + Delta) && interval.High <= 1 + Delta)
            return "no such difference here";
        if (interval.Contains(1))
            return "less, and the direction is not decided";
        if (interval.Low > 1 != claimsFaster)
            return "in the opposite direction";
        var less = claimsFaster ? interval.High < Published.Low : interval.Low > Published.High;
        return less ? "in the same direction, but less" : "in the same direction, and more";
    }
}

/// <summary>How the measured interval relates to a published ratio.</summary>
public enum Agreement
{
    /// <summary>Nothing was published, or the published number could not be read.</summary>
    NothingToCompare,

    /// <summary>The whole interval lies within the published range, widened by delta.</summary>
    Agrees,

    /// <summary>
    /// The interval overlaps the published range but reaches beyond it. The noisier a run is, the more published ratios
    /// are compatible with it.
    /// </summary>
    Compatible,

    /// <summary>The whole interval lies outside the published range.</summary>
    Differs,

    /// <summary>There is no interval or no verdict, a rate was 0, or the interval reaches from the published range to 1.</summary>
    CannotTell,
}

/// <summary>The factor by which a ratio differs between two situations, from the rounds that have all four cells.</summary>
internal static class RatioOfRatios
{
    /// <summary>
    /// Computes the ratio cell / reference of the second situation divided by that of the first, by requests/s. Null
    /// when a cell is missing or no round has all four cells.
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

    // If the reference has a rate of 0, there is no ratio. The estimate counts such a round as left out.
    private static double Ratio(double rate, double reference) => reference > 0 ? rate / reference : 0;

    private static Dictionary<int, double> ByNumber(MeasuredCell cell) =>
        cell.Rounds.ToDictionary(round => round.Record.Number, round => round.Rate);
}
