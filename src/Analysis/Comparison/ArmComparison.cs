using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Comparison;

/// <summary>One cell against another of the same run, from pairs of the same round.</summary>
public sealed record ArmComparison(MeasuredCell Cell, MeasuredCell Reference, Metric Metric, Verdict Verdict)
{
    /// <summary>Whether the cell is better than the reference by this metric, as far as can be told.</summary>
    public bool IsBetter => Verdict.Kind == (Metric.Better == Better.Higher ? VerdictKind.Higher : VerdictKind.Lower);

    /// <summary>Whether it is worse.</summary>
    public bool IsWorse => Verdict.Kind == (Metric.Better == Better.Higher ? VerdictKind.Lower : VerdictKind.Higher);

    /// <summary>Null when no round has the metric in both cells.</summary>
    public static ArmComparison? Of(MeasuredRun run, MeasuredCell cell, MeasuredCell reference, Metric metric)
    {
        var options = run.Record.Options;
        return RatioEstimate.Paired(Pairs(cell, reference, metric), StoppingRule.AlphaOf(options.RoundsAuto)) is { } estimate
            ? new ArmComparison(cell, reference, metric, Verdict.Of(estimate, options.Delta)) : null;
    }

    /// <summary>
    /// What an arm is judged by: requests/s where the load is all it can take, the median latency where the load is given.
    /// </summary>
    public static Metric Headline(MeasuredCell cell) => cell.Key.Load == "max" ? Metric.Rate : Metric.P50;

    /// <summary>Against its reference by its headline; null when it is a reference.</summary>
    public static ArmComparison? OfHeadline(MeasuredRun run, MeasuredCell cell) =>
        run.ReferenceOf(cell) is { } reference ? Of(run, cell, reference, Headline(cell)) : null;

    private static IEnumerable<(double Base, double New)> Pairs(MeasuredCell cell, MeasuredCell reference, Metric metric) =>
        from mine in cell.Rounds
        join theirs in reference.Rounds on mine.Record.Number equals theirs.Record.Number
        let pair = (Base: metric.Value(theirs), New: metric.Value(mine))
        where pair is { Base: not null, New: not null }
        select (pair.Base!.Value, pair.New!.Value);
}
