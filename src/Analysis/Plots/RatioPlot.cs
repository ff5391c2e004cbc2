using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Plots;

/// <summary>The ratio of each arm to its reference with its interval; what crosses the line at 1 is not decided.</summary>
internal sealed class RatioPlot : IPlot
{
    public string Name => "ratio";

    public Plot? Of(ReportModel model)
    {
        var series = Series.Of(model).Where(s => s.Cells.Any(cell => ArmComparison.OfHeadline(s.Run, cell) != null)).ToList();
        if (series.Count == 0)
            return null;
        var run = model.Files[0].Run;
        var delta = run.Record.Options.Delta;
        return new Plot(Name, $"Ratio to {run.Record.Options.Reference}",
            $"{RunHeader.Method(run)} An interval that leaves out 1 is a difference; the band is ± {Quantity.Percent(delta)}. Under a "
                + $"given load the median latency is compared, else requests per second.",
            [.. Facet.Of(series).Select(facet => Draw(facet, delta))], [.. model.Files.Select(file => RunTables.Verdicts(file.Run))]);
    }

    private static Panel Draw(Facet facet, double delta)
    {
        var frame = new Frame(250, [.. facet.Lines.Select(line => line.Series)]);
        var all = facet.Lines.SelectMany(line =>
            line.Points.Select(p => (line.Series, p.X, Comparison: ArmComparison.OfHeadline(line.Series.Run, p.Cell))))
                .Where(e => e.Comparison != null).ToList();
        var ends = all.SelectMany(e => Ends(e.Comparison!)).Append(1 - delta).Append(1 + delta).ToList();
        var y = Scale.Log(Math.Max(1e-3, ends.Min()), ends.Max(), frame.Bottom, frame.Top, 0.06);
        double[] places = [.. facet.All.Select(p => p.X).Distinct().Order()];
        var slot = (Frame.RightEdge - Frame.LeftEdge) / places.Length;
        double Middle(double at) => Frame.LeftEdge + (Array.IndexOf(places, at) + 0.5) * slot;
        frame.Marks.Rectangle(Frame.LeftEdge, y[1 + delta], Frame.RightEdge - Frame.LeftEdge, y[1 - delta] - y[1 + delta], "band");
        frame.YAxis(y, ratio => Number(ratio, "0.0##") + "×");
        frame.Marks.Line(Frame.LeftEdge, y[1], Frame.RightEdge, y[1], "one");
        frame.XAxis(places.Select(at => (Middle(at), facet.XLabel(at))), facet.AxisTitle);
        var lines = facet.Lines.Select(line => line.Series).ToList();
        foreach (var (series, at, comparison) in all)
        {
            var x = Middle(at) + (lines.IndexOf(series) - (lines.Count - 1) / 2.0) * Math.Min(18, slot * 0.7 / lines.Count);
            var estimate = comparison!.Verdict.Estimate;
            if (estimate.Interval is { } interval)
                frame.Marks.Line(x, y[interval.Low], x, y[interval.High], series.LineCss);
            frame.Marks.Mark(x, y[estimate.Ratio], series.Colour, series.MarkCss,
                $"{series.Name}, {facet.XLabel(at)}: {VerdictText.Ratio(estimate)}, "
                    + $"{VerdictText.Of(comparison.Verdict, comparison.Metric)}");
        }
        return frame.ToPanel(facet.Title, "Ratio to the reference with intervals, along the " + facet.AxisTitle);
    }

    private static IEnumerable<double> Ends(ArmComparison comparison)
    {
        var estimate = comparison.Verdict.Estimate;
        return estimate.Interval is { } interval ? [interval.Low, interval.High, estimate.Ratio] : [estimate.Ratio];
    }
}
