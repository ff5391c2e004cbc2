using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Plots;

/// <summary>Latency against percentile as far as there is enough data, with 100 % − percentile on a logarithmic axis.</summary>
internal sealed class SpectrumPlot : IPlot
{
    private static readonly double[] Named = [50, 90, 99, 99.9, 99.99, 99.999];

    public string Name => "latency";

    public Plot? Draw(ReportModel model)
    {
        var series = Series.From(model).Where(s => s.Cells.Any(HasData)).ToList();
        return series.Count == 0 ? null : new Plot(Name, "Latency spectrum",
            "Lower is better. Latency of the calls of all rounds at each percentile with at least 100 samples beyond it. In a "
                + "closed loop a faster arm also answers sooner by Little's law: compare latency at equal load (--load). Both axes are "
                + "logarithmic.",
            [.. CpuPlot.Points(series).Where(point => Lines(series, point).Count > 0).Select(point => Draw(point, series))],
                [.. model.Files.Select(file => RunTables.Latency(file.Run))]);
    }

    private static bool HasData(MeasuredCell cell) => cell.OfLatencies!.Latency.HasDataFor(50);

    private static List<(Series Series, LatencyCounts Latency)> Lines(List<Series> series, Workload point) =>
        [.. from one in series
            from cell in one.Cells
            where cell.Workload == point && HasData(cell)
            select (one, cell.OfLatencies!.Latency)];

    private static Panel Draw(Workload point, List<Series> all)
    {
        var lines = Lines(all, point);
        var frame = new Frame(190, [.. lines.Select(line => line.Series)]);
        var curves = lines.ConvertAll(line => (line.Series, Points: Curve(line.Latency).ToList()));
        var values = curves.SelectMany(curve => curve.Points.Select(p => Math.Max(1.0, p.Ns))).ToList();
        var far = curves.SelectMany(curve => curve.Points.Select(p => Nines(p.Percentile))).ToList();
        var x = Scale.Log(far.Min(), far.Max(), Frame.LeftEdge, frame.RightEdge, 0.01);
        var y = Scale.Log(values.Min(), values.Max(), frame.Bottom, frame.Top);
        frame.YAxis(y, ns => Short(ns));
        frame.XAxis(Named.Where(p => Nines(p) <= x.Max).Select(p => (x[Nines(p)], "p" + Quantity.Plain(p))), "percentile");
        foreach (var (series, points) in curves)
        {
            frame.Marks.Path(points.Select(p => (x[Nines(p.Percentile)], y[p.Ns])), series.LineCss);
            foreach (var named in points.Where(p => Named.Contains(p.Percentile)))
                frame.Marks.Mark(x[Nines(named.Percentile)], y[named.Ns], series.Shape, series.MarkCss,
                    $"{series.Name}, p{Quantity.Plain(named.Percentile)}: {Quantity.Duration(named.Ns)}", 3);
        }
        return frame.ToPanel(Arms.NameOf(lines[0].Series.Run, point), "p50: " + string.Join(", ", lines.Select(line =>
            $"{line.Series.Name} {Short(line.Latency.ValueAt(50))}")));
    }

    /// <summary>Returns the named percentiles and the steps between them, as long as they have enough data.</summary>
    private static IEnumerable<(double Percentile, double Ns)> Curve(LatencyCounts latency) =>
        // The curve starts at about p20, because the few fastest calls would take half of the height.
        Enumerable.Range(1, 59).Select(i => 100 - 100 / Math.Pow(10, i / 10.0)).Select(p => Math.Round(p, 9)).Concat(Named)
            .Distinct().Order()
            .Select(p => (p, latency.At(p))).TakeWhile(entry => entry.Item2 is not null).Select(entry => (entry.p, entry.Item2!.Value));

    private static double Nines(double percentile) => 100 / (100 - percentile);

    private static string Short(double ns) => ns switch
    {
        0 => "0",
        < 1e3 => Quantity.Significant(ns) + " ns",
        < 1e6 => Quantity.Significant(ns / 1e3) + " µs",
        < 1e9 => Quantity.Significant(ns / 1e6) + " ms",
        _ => Quantity.Significant(ns / 1e9) + " s",
    };
}
