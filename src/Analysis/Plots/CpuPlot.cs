using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Plots;

/// <summary>CPU per call as stacked bars: client, server and unattributed, with a scale for each workload.</summary>
internal sealed class CpuPlot : IPlot
{
    private const double Row = 19;
    private static readonly (Metric Metric, string Name, string Css)[] Sides =
        [(Metric.ClientCpu, "client", "b k0"), (Metric.ServerCpu, "server", "b k1"), (Metric.UnattributedCpu, "unattributed", "b k2")];

    public string Name => "cpu";

    public Plot? Draw(ReportModel model)
    {
        var series = Series.From(model).ConvertAll(one => one with { Cells = [.. one.Cells.Where(cell => Total(cell) > 0)] });
        series.RemoveAll(one => one.Cells.Count == 0);
        return series.Count == 0 ? null : new Plot(Name, "CPU per call",
            "Shorter is better. CPU time of one call, each part the median of the rounds: client, server, and the busy time of the "
                + "machine that belongs to neither. The figure is the median of client and server together, or of the client alone if "
                + "the server's CPU time is unknown. "
                + "Each picture has its own scale, which is linear and begins at 0.",
            [.. Points(series).Select(point => Draw(point, series))], [.. model.Files.Select(file => Table(file.Run))]);
    }

    /// <summary>Lists the workloads in the order of the plan, as in tables.</summary>
    internal static List<Workload> Points(IReadOnlyList<Series> series) =>
        [.. series.SelectMany(s => s.Cells).OrderBy(cell => cell.Index).Select(cell => cell.Workload).Distinct()];

    private static Panel Draw(Workload point, List<Series> all)
    {
        var rows = all.SelectMany(s => s.Cells.Where(cell => cell.Workload == point).Select(cell => (Series: s, Cell: cell))).ToList();
        var (marks, y) = (new SvgText(), 30.0);
        var left = Frame.BesideNames(rows.Select(row => row.Series.Name));
        var scale = (Frame.Width - left - 84) / Math.Max(1, rows.Max(row => Total(row.Cell)));
        var x = left;
        foreach (var (_, name, css) in Sides)
        {
            marks.Rectangle(x, 6, 11, 11, css);
            marks.Label(x + 16, 16, name);
            x += 30 + name.Length * 7.2;
        }
        foreach (var (series, cell) in rows)
        {
            marks.Label(left - 8, y + 12, Frame.ShortName(series.Name), "end");
            var end = left;
            foreach (var (metric, name, css) in Sides)
            {
                var width = (cell.Value(metric) ?? 0) * scale;
                marks.Rectangle(end, y, width, Row - 5, css, $"{series.Name}, {name}: {cell.Show(metric)}");
                end += width;
            }
            marks.Label(end + 6, y + 12, cell.Show(Cost(cell)), css: "s");
            y += Row;
        }
        return new Panel(Arms.NameOf(rows[0].Series.Run, point), "CPU of a call: " + string.Join(", ", rows.Select(row =>
            $"{row.Series.Name} {row.Cell.Show(Cost(row.Cell))}")), Frame.Width, y + 6, marks.ToString());
    }

    private static Metric Cost(MeasuredCell cell) => ArmComparison.Cost(cell, cell);

    // The sum of the parts, which is the length of the bar.
    private static double Total(MeasuredCell cell) => Sides.Sum(side => cell.Value(side.Metric) ?? 0);

    private static TextTable Table(MeasuredRun run)
    {
        Metric[] metrics = [Metric.TotalCpu, .. Sides.Select(side => side.Metric),
            .. new[] { "client_user", "client_kernel", "server_user", "server_kernel" }.Select(id => Metric.Find(id)!)];
        var table = new TextTable([Arms.Heading(run), "transport",
            .. metrics.Select(metric => metric.Title.Replace(" CPU/call", "", StringComparison.Ordinal))])
        { Words = 2 };
        foreach (var cell in RunTables.InOrder(run))
            table.Add([Arms.NameOf(run, cell.Workload), cell.Key.Arm, .. metrics.Select(cell.Show)]);
        return table;
    }
}
