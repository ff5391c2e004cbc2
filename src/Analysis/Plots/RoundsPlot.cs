using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Plots;

/// <summary>Every round as a dot on its arm's line, the median round marked.</summary>
internal sealed class RoundsPlot : IPlot
{
    private const double Row = 24;
    private const double Right = Frame.Width - 14;

    public string Name => "rounds";

    public Plot? Of(ReportModel model)
    {
        var series = Series.Of(model);
        return series.Count == 0 ? null : new Plot(Name, "Every round",
            "Further right is better. One dot a round, the median round marked by a line. Dots of one arm in two clumps mean that the "
                + "scheduler placed it now this way, now that.",
            [.. CpuPlot.Points(series).Select(point => Draw(point, series))], [.. model.Files.Select(file => Table(file.Run))]);
    }

    private static Panel Draw(Workload point, List<Series> all)
    {
        var rows = all.SelectMany(s => s.Cells.Where(cell => cell.Workload == point).Select(cell => (Series: s, Cell: cell))).ToList();
        var left = Math.Max(40, 14 + rows.Max(row => row.Series.Name.Length) * 7.2);
        var rates = rows.SelectMany(row => row.Cell.Values(Metric.Rate)).ToList();
        var x = Scale.Linear(rates.Min() * 0.995, Math.Max(rates.Max() * 1.005, 1e-3), left + 8, Right - 12);
        var (marks, bottom) = (new SvgText(), 10 + rows.Count * Row);
        foreach (var tick in x.Ticks())
            marks.Line(x[tick], 6, x[tick], bottom, "g");
        var free = 0.0;
        foreach (var tick in x.Ticks().Where(tick => x[tick] < Right + 4))
        {
            var label = tick >= 1000 ? Quantity.Plain(Math.Round(tick / 1000, 3)) + " k" : Quantity.Plain(Math.Round(tick, 3));
            if (x[tick] - label.Length * 3.6 < free)
                continue;
            marks.Label(x[tick], bottom + 16, label, "middle", "s");
            free = x[tick] + label.Length * 3.6 + 6;
        }
        foreach (var (i, (series, cell)) in rows.Index())
        {
            var y = 10 + (i + 0.5) * Row;
            marks.Label(left - 8, y + 4, series.Name, "end");
            marks.Line(x[cell.Median!.Rate], y - 8, x[cell.Median.Rate], y + 8, series.LineCss);
            foreach (var round in cell.Rounds)
                marks.Mark(x[round.Rate], y, series.Shape, series.MarkCss
                    + " o", Invariant($"{series.Name}, round {round.Record.Number}: {Metric.Rate.Show(round)} requests/s"), 3.6);
        }
        static string Span(MeasuredCell cell)
        {
            var rates = cell.Values(Metric.Rate).ToList();
            return $"{Quantity.Count(rates.Min())} to {Quantity.Count(rates.Max())}";
        }
        return new Panel(Arms.NameOf(rows[0].Series.Run, point), "Requests per second of every round: "
            + string.Join(", ", rows.Select(row => $"{row.Series.Name} {Span(row.Cell)}")), Frame.Width, bottom + 26, marks.ToString());
    }

    private static TextTable Table(MeasuredRun run)
    {
        var numbers = run.Cells.SelectMany(cell => cell.Rounds.Select(r => r.Record.Number)).Distinct().Order().ToList();
        // Only the first rounds: the CSV report has all of them.
        var shown = numbers.Take(24).ToList();
        var table = new TextTable([Arms.Heading(run), "transport", .. shown.Select(number => Invariant($"round {number}")),
            .. shown.Count < numbers.Count ? ["…"] : Array.Empty<string>()])
        { Words = 2 };
        foreach (var cell in RunTables.InOrder(run))
        {
            var byNumber = cell.Rounds.ToDictionary(r => r.Record.Number);
            table.Add([Arms.NameOf(run, cell.Workload), cell.Key.Arm,
                .. shown.Select(number => byNumber.TryGetValue(number, out var r) ? Metric.Rate.Show(r) : Quantity.None),
                .. shown.Count < numbers.Count ? ["…"] : Array.Empty<string>()]);
        }
        return table;
    }
}
