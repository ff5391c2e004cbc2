using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Plots;

/// <summary>Requests per second as bars. Each workload has a scale of its own, to show which arm is faster.</summary>
internal sealed class ThroughputPlot : IPlot
{
    private const double Row = 22;

    public string Name => "throughput";

    public Plot? Draw(ReportModel model)
    {
        var series = Series.From(model);
        var points = CpuPlot.Points(series).Where(point => Rows(point, series).Count > 0).ToList();
        return points.Count == 0 ? null : new Plot(Name, Arms.RateTitle(series[0].Run),
            "Longer is better. The median round of each cell; the thin line spans all its rounds. Each picture has its own scale, which is "
                + "linear and begins at 0."
                + string.Concat(model.Files.Select(file => Contradictions(file, model.Files.Count > 1))),
            [.. points.Select(point => Draw(point, series))], [.. model.Files.Select(file => RunTables.Throughput(file.Run))])
        { Note = string.Concat(model.Files.Select(file => Contradictions(file, model.Files.Count > 1))).Trim() };
    }

    // The bars show medians, which may disagree with the pairs of rounds. The caption then explains the contradiction.
    private static string Contradictions(NamedRun file, bool isNamed) =>
        RunTables.Contradictions(file.Run) is { Length: > 0 } note ? $" {(isNamed ? file.Name + ": " : "")}{note}" : "";

    // A cell without a completed call has no bar. A cell at a given load has no bar either, because its requests/s are not a result.
    private static List<(Series Series, MeasuredCell Cell)> Rows(Workload point, List<Series> all) => [.. all.SelectMany(series =>
        series.Cells.Where(cell => cell.Workload == point && cell.Value(Metric.Rate) > 0 && RunTables.IsAtFullLoad(cell))
            .Select(cell => (series, cell)))];

    private static Panel Draw(Workload point, List<Series> all)
    {
        var (marks, y, rows) = (new SvgText(), 4.0, Rows(point, all));
        var left = Frame.BesideNames(rows.Select(row => row.Series.Name));
        var scale = (Frame.Width - left - 66) / rows.Max(row => row.Cell.Values(Metric.Rate).Max());
        foreach (var (series, cell) in rows)
        {
            var (rates, rate, middle) = (cell.Values(Metric.Rate).ToList(), cell.Value(Metric.Rate)!.Value, y + Row / 2 - 2);
            marks.Label(left - 8, middle + 4, Frame.ShortName(series.Name), "end");
            marks.Rectangle(left, y, rate * scale, Row - 5, series.BarCss,
                $"{series.Name}: {cell.Show(Metric.Rate)} {Arms.RateHeading(series.Run)} (rounds {RunTables.Range(cell, Metric.Rate)})");
            marks.Line(left + rates.Min() * scale, middle, left + rates.Max() * scale, middle, "r");
            marks.Label(left + Math.Max(rate, rates.Max()) * scale + 6, middle + 4, Short(rate), css: "s");
            y += Row;
        }
        var run = rows[0].Series.Run;
        return new Panel(Arms.NameOf(run, point), Arms.RateTitle(run) + ": " + string.Join(", ", rows.Select(row =>
            $"{row.Series.Name} {row.Cell.Show(Metric.Rate)}")), Frame.Width, y + 4, marks.ToString());
    }

    internal static string Short(double value) => value switch
    {
        >= 1e6 => Quantity.Significant(value / 1e6) + " M",
        >= 1e3 => Quantity.Significant(value / 1e3) + " k",
        _ => Quantity.Significant(value),
    };
}
