using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Plots;

/// <summary>
/// The ratio of each arm to its reference with its interval. An interval that crosses the line at 1 has no winner.
/// </summary>
internal sealed class RatioPlot : IPlot
{
    public string Name => "ratio";

    // This width has room for the labels and is still readable on a phone.
    private const double Width = 560;
    private const double Label = 34;
    private const double LabelHeight = 12;

    // On each side, the axis ends at most this factor beyond the estimates. If the quotient of the largest and the smallest
    // estimate is larger, the quotient is used as the factor.
    private const double SmallestRoom = 1.25;

    public Plot? Draw(ReportModel model)
    {
        var series = Series.From(model).Where(s => s.Cells.Any(cell => Compared(s.Run, cell) is not null)).ToList();
        if (series.Count == 0)
            return null;
        var delta = model.Files[0].Run.Record.Options.Delta;
        var facets = Drawn(Facet.Split(series));
        return new Plot(Name, Title(series),
            Direction(series) + " A mark is an estimate, and its line is the interval: an interval that crosses \"same\" decides no "
                + $"winner. Differences within the band of ± {Quantity.Percent(delta)} are too small to matter. The axis is "
                + "logarithmic: twice and half are equally far from the middle."
                + (facets.Exists(facet => IsCut(facet, delta)) ? " An arrowhead marks an interval that ends outside the picture." : ""),
            [.. facets.Select(facet => Draw(facet, delta))], [.. model.Files.Select(file => RunTables.Verdicts(file.Run))],
            IsMain: true);
    }

    /// <summary>
    /// Returns the comparison that is drawn for a cell. Null when its verdict is withheld. Also null for a cell that is
    /// itself a reference of other cells but has another client than its own reference: the difference between clients
    /// is many times the difference between transports.
    /// </summary>
    private static ArmComparison? Compared(MeasuredRun run, MeasuredCell cell) =>
        run.ReferenceOf(cell) is { } reference && reference.Key.Client != cell.Key.Client
            && run.Cells.Any(other => run.ReferenceOf(other) == cell) ? null
            : ArmComparison.OfHeadline(run, cell) is { Verdict.Withheld: "" } comparison ? comparison : null;

    private static List<ArmComparison> AllOf(Facet facet) =>
        [.. facet.Lines.SelectMany(line => line.Points.Select(point => Compared(line.Series.Run, point.Cell))).OfType<ArmComparison>()];

    /// <summary>
    /// Computes the ends of the axis. The axis contains all estimates and the band, but only a part of a very wide interval.
    /// </summary>
    private static (double Low, double High) Axis(Facet facet, double delta)
    {
        var all = AllOf(facet);
        double[] estimates = [1 - delta, 1 + delta, .. all.Select(one => one.Verdict.Estimate.Ratio)];
        var room = Math.Max(SmallestRoom, estimates.Max() / Math.Max(1e-3, estimates.Min()));
        double[] ends = [1 - delta, 1 + delta, .. all.SelectMany(Ends)];
        return (Math.Max(1e-3, Math.Max(ends.Min(), estimates.Min() / room)), Math.Min(ends.Max(), estimates.Max() * room));
    }

    private static bool IsCut(Facet facet, double delta)
    {
        var (low, high) = Axis(facet, delta);
        return AllOf(facet).SelectMany(Ends).Any(end => end < low || end > high);
    }

    // If a picture has several marks, pictures with a single mark are left out: the answer shows their ratios.
    private static List<Facet> Drawn(List<Facet> facets)
    {
        var several = facets.FindAll(facet => facet.Lines.Sum(line =>
            line.Points.Count(point => Compared(line.Series.Run, point.Cell) is not null)) > 1);
        return several.Count > 0 ? several : facets;
    }

    private static string Direction(List<Series> series) => series.SelectMany(s => s.Cells).Select(ArmComparison.Headline).Distinct()
        .ToList() is [var one] ? one == Metric.Rate ? "Higher is better." : "Lower is better: latency is compared."
        : "Higher is better for requests per second, lower is better for the latency at a given load.";

    /// <summary>Says which arms are compared with which reference, and by which metric.</summary>
    private static string Title(List<Series> series)
    {
        var compared = series.SelectMany(s => s.Cells.Select(cell => Compared(s.Run, cell))).OfType<ArmComparison>()
            .ToList();
        var references = compared.Select(comparison => comparison.Reference.Key.Arm).Distinct().ToList();
        var names = references.Count;
        // If each reference has the client of its arm, the title names the references by their transport alone.
        if (references.Count > 1 && compared.TrueForAll(comparison => comparison.Reference.Key.Client == comparison.Cell.Key.Client
            && comparison.Reference.Key.Transport != comparison.Cell.Key.Transport))
            references = [.. compared.Select(comparison => comparison.Reference.Key.Transport).Distinct()];
        var what = compared.TrueForAll(comparison => comparison.Metric == Metric.Rate) ? "Requests per second"
            : compared.TrueForAll(comparison => comparison.Metric != Metric.Rate) ? "Median latency" : "Requests per second and latency";
        var builds = compared.Select(comparison => comparison.Reference.Key.Setting).Distinct().ToList();
        return $"{what} against " + (references is [var one] ? one + (names > 1 ? " of the same client" : "")
            : builds is [{ Length: > 0 } build] ? build : "each arm's own reference");
    }

    private static Panel Draw(Facet facet, double delta)
    {
        var frame = new Frame(270, [.. facet.Lines.Select(line => line.Series)], Width);
        var all = facet.Lines.SelectMany(line =>
            line.Points.Select(p => (line.Series, p.X, Comparison: Compared(line.Series.Run, p.Cell))))
                .Where(e => e.Comparison is not null).ToList();
        var (low, high) = Axis(facet, delta);
        // Room above and below for the labels.
        var y = Scale.Log(low, high, frame.Bottom - 14, frame.Top + 14, 0.06);
        double[] places = [.. facet.All.Select(p => p.X).Distinct().Order()];
        var slot = (frame.RightEdge - Frame.LeftEdge) / places.Length;
        double Middle(double at) => Frame.LeftEdge + (Array.IndexOf(places, at) + 0.5) * slot;
        frame.Marks.Rectangle(Frame.LeftEdge, y[1 + delta], frame.RightEdge - Frame.LeftEdge, y[1 - delta] - y[1 + delta], "band");
        frame.YAxis(y, ratio => ratio == 1 ? "same" : Quantity.Change(ratio));
        frame.Marks.Line(Frame.LeftEdge, y[1], frame.RightEdge, y[1], "one");
        frame.XAxis(places.Select(at => (Middle(at), facet.XLabel(at))), facet.AxisTitle);
        var lines = facet.Lines.Select(line => line.Series).ToList();
        var apart = Math.Min(48, slot * 0.86 / lines.Count);
        var labels = new List<(double X, double End)>();
        foreach (var (series, at, comparison) in all)
        {
            var x = Middle(at) + (lines.IndexOf(series) - (lines.Count - 1) / 2.0) * apart;
            var estimate = comparison!.Verdict.Estimate;
            if (estimate.Interval is { } interval)
            {
                frame.Marks.Line(x, y[interval.Low], x, y[interval.High], series.LineCss);
                if (interval.Low < low)
                    frame.Marks.Path([(x - 5, y[low] - 5), (x, y[y.Min]), (x + 5, y[low] - 5)], series.LineCss);
                if (interval.High > high)
                    frame.Marks.Path([(x - 5, y[high] + 5), (x, y[y.Max]), (x + 5, y[high] + 5)], series.LineCss);
            }
            // The label is below the interval if the ratio is below 1, otherwise above the interval. It is moved if it would
            // overlap other labels. If there is no room for the label, the number is only in the table.
            var end = estimate.Ratio < 1
                ? y[estimate.Interval?.Low ?? estimate.Ratio] + 15 : y[estimate.Interval?.High ?? estimate.Ratio] - 6;
            while (labels.Exists(label => Math.Abs(label.X - x) < Label * 1.25 && Math.Abs(label.End - end) < LabelHeight))
                end += estimate.Ratio < 1 ? 1 : -1;
            labels.Add((x, end));
            if (apart >= Label * 0.8 && end <= frame.Bottom - 2 && end >= frame.Top)
                frame.Marks.Label(x, end, Quantity.Change(estimate.Ratio), "middle", "v");
            frame.Marks.Mark(x, y[estimate.Ratio], series.Shape, series.MarkCss,
                $"{series.Name}, {facet.XLabel(at)}: {VerdictText.Change(estimate)}, "
                    + $"{VerdictText.Describe(comparison.Verdict, comparison.Metric)}");
        }
        return frame.ToPanel(facet.Title, string.Join("; ", all.Select(e =>
            $"{e.Series.Name}, {facet.XLabel(e.X)}: {VerdictText.Change(e.Comparison!.Verdict.Estimate)}")));
    }

    private static IEnumerable<double> Ends(ArmComparison comparison)
    {
        var estimate = comparison.Verdict.Estimate;
        return estimate.Interval is { } interval ? [interval.Low, interval.High, estimate.Ratio] : [estimate.Ratio];
    }
}
