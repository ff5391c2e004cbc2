using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Comparison;

/// <summary>The arms of a run as a report talks about them: by point of the plan, ranked, the doubles of an A/A test left out.</summary>
internal static class Arms
{
    /// <summary>The measured cells by point, points in the order of the plan.</summary>
    public static IEnumerable<IGrouping<Point, MeasuredCell>> ByPoint(MeasuredRun run) =>
        run.Cells.Where(cell => cell.Median != null && !AaTest.IsAa(cell.Key)).GroupBy(cell => cell.Point);

    /// <summary>Best first, by the headline of the median round.</summary>
    public static List<MeasuredCell> Ranked(IEnumerable<MeasuredCell> cells)
    {
        var all = cells.ToList();
        var metric = ArmComparison.Headline(all[0]);
        var sign = metric.Better == Better.Higher ? -1 : 1;
        return [.. all.OrderBy(cell => sign * (metric.Value(cell.Median!) ?? double.PositiveInfinity * sign))];
    }

    /// <summary>The point as text: the size, and whatever else varies in this run.</summary>
    public static string NameOf(MeasuredRun run, Point point)
    {
        var keys = run.Record.Cells.Select(other => other.Key).ToList();
        var parts = new List<string> { Quantity.Size(point.Size) };
        if (keys.Exists(other => other.Connections != point.Connections))
            parts.Add(TextBuilding.Invariant($"c {point.Connections}"));
        if (keys.Exists(other => other.Streams != point.Streams))
            parts.Add(TextBuilding.Invariant($"m {point.Streams}"));
        if (keys.Exists(other => other.Load != point.Load))
            parts.Add(point.Load == "max" ? "full load" : "load " + point.Load);
        return string.Join(", ", parts);
    }
}

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
