using IpcBench.Analysis.Metrics;
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
