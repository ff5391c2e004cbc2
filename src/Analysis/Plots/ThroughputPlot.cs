using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Plots;

/// <summary>Requests per second along the size: median round, with the range of all rounds.</summary>
internal sealed class ThroughputPlot : IPlot
{
    public string Name => "throughput";

    public Plot? Of(ReportModel model)
    {
        var series = Series.Of(model);
        return series.Count == 0 ? null : new Plot(Name, "Requests per second",
            "The median round of each cell; the bar spans all its rounds. Both axes are logarithmic where the values span much: equal "
                + "distances are equal ratios.",
            [.. Facet.Of(series).Select(Draw)], [.. model.Files.Select(file => RunTables.Throughput(file.Run))]);
    }

    private static Panel Draw(Facet facet)
    {
        var frame = new Frame(250, [.. facet.Lines.Select(line => line.Series)]);
        var rates = facet.All.SelectMany(point => point.Cell.Values(Metric.Rate)).Where(rate => rate > 0).DefaultIfEmpty(1).ToList();
        var y = rates.Max() / rates.Min() > 20
            ? Scale.Log(rates.Min(), rates.Max(), frame.Bottom, frame.Top)
            : Scale.Linear(0, rates.Max(), frame.Bottom, frame.Top);
        var x = Scale.Log(facet.All.Min(p => p.X), facet.All.Max(p => p.X), Frame.LeftEdge, Frame.RightEdge);
        frame.YAxis(y, Short);
        frame.XAxis(facet.All.Select(p => p.X).Distinct().Order().Select(v => (x[v], facet.XLabel(v))), facet.AxisTitle);
        foreach (var (series, points) in facet.Lines)
        {
            frame.Marks.Path(points.Select(p => (x[p.X], y[p.Cell.Median!.Rate])), series.LineCss);
            foreach (var (at, cell) in points)
            {
                var values = cell.Values(Metric.Rate).ToList();
                frame.Marks.Line(x[at], y[values.Min()], x[at], y[values.Max()], series.LineCss);
                frame.Marks.Mark(x[at], y[cell.Median!.Rate], series.Colour, series.MarkCss,
                    $"{series.Name}, {facet.XLabel(at)}: {Metric.Rate.Show(cell.Median)} requests/s");
            }
        }
        return frame.ToPanel(facet.Title, "Requests per second along the " + facet.AxisTitle);
    }

    internal static string Short(double value) => value switch
    {
        >= 1e6 => Quantity.Significant(value / 1e6) + " M",
        >= 1e3 => Quantity.Significant(value / 1e3) + " k",
        _ => Quantity.Significant(value),
    };
}
