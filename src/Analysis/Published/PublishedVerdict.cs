using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Published;

/// <summary>A published ratio compared with the measured ratio and its interval.</summary>
public sealed record PublishedVerdict(PublishedRatio Published, ArmComparison Measured, double Delta)
{
    /// <summary>Compares the published ratio with the measured ratio. Null when one of the two cells was not measured.</summary>
    public static PublishedVerdict? Compare(MeasuredRun run, PublishedRatio published) =>
        published.Cell.In(run) is { } cell && published.Reference.In(run, cell.Key.Client) is { } reference
        && ArmComparison.Compare(run, cell, reference, Metric.Rate) is { } measured
        ? new PublishedVerdict(published, measured, run.Record.Options.Delta) : null;

    private RatioEstimate Estimate => Measured.Verdict.Estimate;

    /// <summary>The reason why the measured ratio has no verdict, whatever its interval is. Empty when there is no such reason.</summary>
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
            return "less, and it is not decided which of the two is faster";
        if (interval.Low > 1 != claimsFaster)
            return "in the opposite direction";
        var less = claimsFaster ? interval.High < Published.Low : interval.Low > Published.High;
        return less ? "in the same direction, but less" : "in the same direction, and more";
    }
}
