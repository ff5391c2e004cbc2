using System.Text;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Documents;

/// <summary>The tables of a run; text, Markdown and HTML show the same ones.</summary>
internal static class RunTables
{
    /// <summary>Throughput with its range and ratio, and the CPU of a call.</summary>
    public static TextTable Throughput(MeasuredRun run)
    {
        var compared = run.Cells.Any(cell => run.ReferenceOf(cell) != null);
        string[] ratio = compared ? [$"ratio to {run.Record.Options.Reference}"] : [];
        var table = new TextTable(["size", "transport", "requests/s", "range of rounds", "payload/s", .. ratio, "client CPU", "server CPU",
            "unattributed"])
        { Words = 2 };
        foreach (var cell in InOrder(run))
        {
            var median = cell.Median!;
            ratio = compared ? [Ratio(run, cell, Metric.Rate)] : [];
            table.Add([Arms.NameOf(run, cell.Point), cell.Key.Arm, Metric.Rate.Show(median), Range(cell, Metric.Rate),
                Metric.Find("payload")!.Show(median),
                .. ratio, Metric.ClientCpu.Show(median), Metric.ServerCpu.Show(median), Metric.UnattributedCpu.Show(median)]);
        }
        return table;
    }

    /// <summary>Latencies of the median round.</summary>
    public static TextTable Latency(MeasuredRun run)
    {
        Metric[] metrics = [Metric.Mean, .. new[] { "p50", "p90", "p99", "p99.9" }.Select(id => Metric.Find(id)!), Metric.Max];
        var table = new TextTable(["size", "transport", .. metrics.Select(metric => metric.Id)]) { Words = 2 };
        foreach (var cell in InOrder(run))
            table.Add([Arms.NameOf(run, cell.Point), cell.Key.Arm, .. metrics.Select(metric => metric.Show(cell.Median!))]);
        return table;
    }

    /// <summary>
    /// Connections of the watched endpoints by state in the median round, mean and most; endpoints that the arm did not use are left out.
    /// </summary>
    public static TextTable Connections(MeasuredRun run)
    {
        var table = new TextTable("size", "transport", "endpoint", "active", "idle", "waiting", "closing", "TIME_WAIT") { Words = 3 };
        var busy = InOrder(run).SelectMany(cell => cell.Median!.Record.Watched).Where(IsBusy).Select(watched => watched.Name).ToHashSet();
        foreach (var cell in InOrder(run))
        {
            // What has a part in some arms is shown in those alone.
            foreach (var watched in cell.Median!.Record.Watched.Where(watched => IsBusy(watched) || watched.Idle.Max > 0
                && !busy.Contains(watched.Name)))
                table.Add([Arms.NameOf(run, cell.Point), cell.Key.Arm, watched.Name,
                    .. new[] { watched.Active, watched.Idle, watched.Waiting, watched.Closing, watched.TimeWait }.Select(States)]);
        }
        return table;
    }

    /// <summary>What may be said of each arm against its reference.</summary>
    public static TextTable Verdicts(MeasuredRun run)
    {
        var table = new TextTable("size", "transport", "against", "verdict") { Words = 4 };
        foreach (var comparison in InOrder(run).Select(cell => ArmComparison.OfHeadline(run, cell)).OfType<ArmComparison>())
            table.Add(Arms.NameOf(run, comparison.Cell.Point), comparison.Cell.Key.Arm, comparison.Reference.Key.Arm,
                VerdictText.Of(comparison.Verdict, comparison.Metric));
        return table;
    }

    // Idle connections and ports that wait out their minute may be another arm's.
    private static bool IsBusy(WatchedEndpoint watched) => watched.Active.Max + watched.Waiting.Max + watched.Closing.Max > 0;

    private static string States(StateCount count) =>
        count.Max == 0 ? "0" : $"{Quantity.Significant(count.Mean)} (≤ {Quantity.Count(count.Max)})";

    internal static string Range(MeasuredCell cell, Metric metric)
    {
        var values = cell.Values(metric).ToList();
        return values.Count < 2 ? Quantity.None
            : $"{Quantity.Show(values.Min(), metric.Unit)} – {Quantity.Show(values.Max(), metric.Unit)}";
    }

    internal static string Ratio(MeasuredRun run, MeasuredCell cell, Metric metric) =>
        run.ReferenceOf(cell) is { } reference && ArmComparison.Of(run, cell, reference, metric) is { } comparison
            ? VerdictText.Ratio(comparison.Verdict.Estimate) : Quantity.None;

    /// <summary>Points by size, arms in the order of the plan.</summary>
    internal static IEnumerable<MeasuredCell> InOrder(MeasuredRun run) => run.Cells.Where(cell => cell.Median != null)
        .OrderBy(cell => cell.Key.Size);
}

/// <summary>
/// Times of a round trip, a row a size and a column a transport, each beside its ratio to the reference: below 1 it is shorter.
/// </summary>
internal static class EchoTable
{
    public const string Title = "Time of a round trip (mean of the median round) and its ratio to the reference's, from pairs of the same "
        + "round; below 1 is faster";

    /// <summary>Whether a run is about raw round trips and nothing else.</summary>
    public static bool Fits(MeasuredRun run) => run.Cells.Any(cell => cell.Median != null)
        && run.Cells.All(cell => cell.Key.Protocol == "echo");

    public static TextTable Of(MeasuredRun run)
    {
        var cells = Arms.ByPoint(run).SelectMany(point => point).ToList();
        var arms = cells.Select(cell => (cell.Key.Arm, Compared: run.ReferenceOf(cell) != null)).Distinct()
            .GroupBy(arm => arm.Arm, (arm, all) => (Arm: arm, Compared: all.Any(one => one.Compared))).ToList();
        var table = new TextTable(["size", .. arms.SelectMany(arm => arm.Compared ? new[] { arm.Arm, "ratio" } : [arm.Arm])]);
        foreach (var point in Arms.ByPoint(run).OrderBy(point => point.Key.Size))
        {
            table.Add([Arms.NameOf(run, point.Key), .. arms.SelectMany(arm =>
            {
                var cell = point.FirstOrDefault(cell => cell.Key.Arm == arm.Arm);
                var time = cell is null ? Quantity.None : Metric.Mean.Show(cell.Median!);
                return arm.Compared ? new[] { time, cell is null ? Quantity.None : RunTables.Ratio(run, cell, Metric.Mean) } : [time];
            })]);
        }
        return table;
    }
}

/// <summary>Bars for a terminal, one a cell, each point to its own scale.</summary>
internal static class BarChart
{
    private const int Width = 40;
    private const string Eighths = " ▏▎▍▌▋▊▉";

    public static string Of(MeasuredRun run)
    {
        var text = new StringBuilder();
        var points = RunTables.InOrder(run).GroupBy(cell => cell.Point).ToList();
        var names = points.Select(point => Arms.NameOf(run, point.Key)).ToList();
        var (nameWidth, armWidth) = (names.Max(name => name.Length), run.Cells.Max(cell => cell.Key.Arm.Length));
        foreach (var (point, name) in points.Zip(names))
        {
            var metric = ArmComparison.Headline(point.First());
            var most = point.Max(cell => metric.Value(cell.Median!) ?? 0);
            foreach (var (i, cell) in point.Index())
            {
                var share = most > 0 ? (metric.Value(cell.Median!) ?? 0) / most : 0;
                var unit = metric == Metric.Rate ? "" : " " + metric.Title;
                text.Append("  ").Append((i == 0 ? name : "").PadRight(nameWidth)).Append("  ").Append(cell.Key.Arm.PadRight(armWidth))
                    .Append("  ")
                    .Append(Bar(share)).Append(' ').Append(metric.Show(cell.Median!)).Append(unit).Append('\n');
            }
        }
        return text.ToString();
    }

    private static string Bar(double share)
    {
        var eighths = (int)Math.Round(share * Width * 8);
        return new string('█', eighths / 8) + (eighths % 8 > 0 ? Eighths[eighths % 8] : "");
    }
}
