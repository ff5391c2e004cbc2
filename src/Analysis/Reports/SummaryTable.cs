using IpcBench.Analysis.Measures;
using static IpcBench.Analysis.Reports.TextBuilding;

namespace IpcBench.Analysis.Reports;

/// <summary>The table that ends a run: size × transport with requests/s, the ratio to the reference, and the CPU of both sides.</summary>
internal static class SummaryTable
{
    public static TextTable Of(MeasuredRun run)
    {
        var reference = run.Record.Options.Reference;
        var table = new TextTable("size", "transport", "requests/s", $"ratio to {reference}", "client µs/call", "server µs/call") { Words = 2 };
        if (run.Cells.Select(cell => cell.Key.Arm).Distinct().Count() < 2)
            return table;
        foreach (var cell in run.Cells.OrderBy(cell => cell.Key.Size).Where(cell => cell.Median != null))
            table.Add(PointName(run, cell), cell.Key.Arm, Quantity.Count(cell.Median!.Rate), Ratio(run, cell), Micros(Metrics.ClientCpu, cell), Micros(Metrics.ServerCpu, cell));
        return table;
    }

    /// <summary>The size, and whatever else varies in this run.</summary>
    internal static string PointName(MeasuredRun run, MeasuredCell cell)
    {
        var (key, keys) = (cell.Key, run.Record.Cells.Select(other => other.Key));
        var parts = new List<string> { Quantity.Size(key.Size) };
        if (keys.Any(other => other.Connections != key.Connections))
            parts.Add(Invariant($"c {key.Connections}"));
        if (keys.Any(other => other.Streams != key.Streams))
            parts.Add(Invariant($"m {key.Streams}"));
        if (keys.Any(other => other.Load != key.Load))
            parts.Add(key.Load);
        return string.Join(", ", parts);
    }

    private static string Ratio(MeasuredRun run, MeasuredCell cell) =>
        run.ReferenceOf(cell)?.Median is { Rate: > 0 } reference ? Number(cell.Median!.Rate / reference.Rate, "0.00") : Quantity.None;

    private static string Micros(Metric metric, MeasuredCell cell) =>
        metric.Value(cell.Median!) is { } ns ? Number(ns / 1000, ns < 100_000 ? "0.0" : "#,0") : Quantity.None;
}
