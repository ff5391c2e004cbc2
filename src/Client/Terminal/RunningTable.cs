using System.Globalization;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Wording;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Terminal;

/// <summary>
/// The results so far: a row per size and a column per arm, with the rate of the reference and the ratios of the other
/// arms with their intervals.
/// </summary>
internal sealed class RunningTable
{
    private const int Gap = 2;
    private readonly List<string> arms;
    private readonly List<Workload> workloads;
    private readonly Dictionary<(Workload, string), (string Text, string Colour)> known = [];

    public RunningTable(BenchPlan plan)
    {
        arms = [.. plan.Cells.Select(cell => cell.Record.Key.Arm).Distinct()];
        workloads = [.. plan.Cells.Select(cell => Workload.Of(cell.Record.Key)).Distinct()];
    }

    /// <summary>Updates the cell after a round and, for a reference, all cells that are compared with it.</summary>
    public void Update(int cell, RunRecord record)
    {
        var run = new MeasuredRun(record);
        foreach (var other in run.Cells.Where(other => other.Workload == run.Cells[cell].Workload && other.Median is not null))
            known[(other.Workload, other.Key.Arm)] = Show(run, other);
        if (run.Cells[cell] is { Key.VariesRate: true, Windows: [.., var last] } search)
            known[(search.Workload, search.Key.Arm)] = ($"at {Quantity.Count(last.Record.AskedRate)}/s", "default");
    }

    /// <summary>Lines of markup that fit; the number of the other lines is shown.</summary>
    public IEnumerable<string> Lines(int width, int height)
    {
        var across = Grid(workloads.ConvertAll(NameOf), arms, (row, column) => Known(workloads[row], arms[column]), width);
        var rows = across
            ?? Grid(arms, workloads.ConvertAll(NameOf), (row, column) => Known(workloads[column], arms[row]), width)
            ?? [.. from workload in workloads
                   from arm in arms
                   select Cut($"{NameOf(workload)}  {arm}  {Known(workload, arm).Text}", width)];
        var room = Math.Max(1, height);
        foreach (var row in rows.Take(rows.Count > room ? room - 1 : room))
            yield return row;
        if (rows.Count > room)
            yield return string.Create(CultureInfo.InvariantCulture, $"[grey]… {rows.Count - room + 1} more[/]");
    }

    private static (string Text, string Colour) Show(MeasuredRun run, MeasuredCell cell)
    {
        var metric = ArmComparison.Headline(cell);
        if (ArmComparison.OfHeadline(run, cell) is not { } comparison)
            return (cell.Show(metric) + (metric == Metric.Rate ? "/s" : ""), "default");
        return (VerdictText.Ratio(comparison.Verdict.Estimate), comparison.IsBetter ? "green" : comparison.IsWorse ? "yellow" : "default");
    }

    /// <summary>Null when the table is wider than the screen.</summary>
    private static List<string>? Grid(
        List<string> rows, List<string> columns, Func<int, int, (string Text, string Colour)> cell, int width)
    {
        // The width of an interval, so that columns do not move later.
        const int interval = 18;
        var first = rows.Max(name => name.Length);
        var widths = columns.Select((name, column) => Math.Max(Math.Max(name.Length, interval),
            Enumerable.Range(0, rows.Count).Max(row => cell(row, column).Text.Length))).ToList();
        if (first + widths.Sum(wide => wide + Gap) > width)
            return null;
        string Coloured((string Text, string Colour) shown, int wide) =>
            $"{new string(' ', Gap)}[{shown.Colour}]{Spectre.Console.Markup.Escape(shown.Text.PadRight(wide))}[/]";
        string Row(string name, Func<int, (string Text, string Colour)> at) =>
            Spectre.Console.Markup.Escape(name.PadRight(first))
                + string.Concat(widths.Select((wide, column) => Coloured(at(column), wide)));
        return [Row("", column => (columns[column], "bold")), .. rows.Select((name, row) => Row(name, column => cell(row, column)))];
    }

    private (string Text, string Colour) Known(Workload workload, string arm) => known.GetValueOrDefault((workload, arm), ("·", "grey"));

    /// <summary>The size, and everything else that varies.</summary>
    private string NameOf(Workload workload)
    {
        var connections = workloads.Exists(other => other.Connections != workload.Connections) ? $" c {Number(workload.Connections)}" : "";
        var streams = workloads.Exists(other => other.Streams != workload.Streams) ? $" m {Number(workload.Streams)}" : "";
        var load = workloads.Exists(other => other.Load != workload.Load) && !workload.IsFullLoad ? " " + workload.Load : "";
        return workload.Work + connections + streams + load;
    }

    private static string Number(int value) => value.ToString(CultureInfo.InvariantCulture);

    private static string Cut(string text, int width) => Spectre.Console.Markup.Escape(TextWrapping.Cut(text, width));
}
