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

    /// <summary>The reason why the run has no verdict, whatever the interval. Empty when the run may have a verdict.</summary>
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
        Agreement.NothingToCompare => "nothing to compare with",
        Agreement.Agrees => "agrees",
        Agreement.Compatible => "compatible: as published" + Beyond(Estimate.Interval!.Value),
        Agreement.CannotTell when Withheld.Length > 0 => $"cannot tell: {Withheld}",
        Agreement.CannotTell when Estimate.LeftOut > 0 || Estimate.Interval is null =>
            $"cannot tell: {VerdictText.Open(Verdict.From(Estimate, Delta), Metric.Rate)}",
        Agreement.CannotTell => "cannot tell: interval too wide",
        _ => "differs: " + Difference(Estimate.Interval!.Value),
    };

    // A published ratio has no interval. As elsewhere, differences smaller than delta do not matter, so its range is widened by delta.
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
            return "less, and which way cannot be told";
        if (interval.Low > 1 != claimsFaster)
            return "the other way round";
        var less = claimsFaster ? interval.High < Published.Low : interval.Low > Published.High;
        return less ? "the same way, but less" : "the same way, and more";
    }
}

/// <summary>How the measured interval relates to a published ratio.</summary>
public enum Agreement
{
    /// <summary>Nothing was published, or the published number could not be read.</summary>
    NothingToCompare,

    /// <summary>The whole interval lies within delta of the published ratio.</summary>
    Agrees,

    /// <summary>
    /// The interval contains published ratios and also other ratios in the same direction. The noisier a run, the more
    /// ratios are compatible.
    /// </summary>
    Compatible,

    /// <summary>The whole interval lies outside the published ratio.</summary>
    Differs,

    /// <summary>There are too few rounds, or the interval contains both the published ratio and 1, which means no difference.</summary>
    CannotTell,
}

/// <summary>The factor by which a ratio changes between two situations, from rounds with all four cells.</summary>
internal static class RatioOfRatios
{
    /// <summary>
    /// Computes (cell / reference) of the second situation divided by (cell / reference) of the first situation, by
    /// requests/s. Null when a cell is missing or no round has all four cells.
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

    // A rate of 0 has no ratio. The estimate counts such a round as left out.
    private static double Ratio(double rate, double reference) => reference > 0 ? rate / reference : 0;

    private static Dictionary<int, double> ByNumber(MeasuredCell cell) =>
        cell.Rounds.ToDictionary(round => round.Record.Number, round => round.Rate);
}
