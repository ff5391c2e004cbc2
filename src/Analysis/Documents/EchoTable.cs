using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Documents;

/// <summary>
/// Times of round trips with their ratios to the reference (below 1 is faster): a row per size and a column per transport.
/// </summary>
internal static class EchoTable
{
    public const string Title = "Time of a round trip (mean of all rounds) and ratio to the time of the reference, from pairs of "
        + "the same round; below 1 is faster";

    /// <summary>Whether a run measured raw round trips only.</summary>
    public static bool Fits(MeasuredRun run) => run.Cells.Any(cell => cell.Median is not null)
        && run.Cells.All(cell => cell.Key.Protocol == "echo");

    public static TextTable Of(MeasuredRun run)
    {
        var cells = Arms.ByWorkload(run).SelectMany(workload => workload).ToList();
        var arms = cells.Select(cell => (cell.Key.Arm, Compared: run.ReferenceOf(cell) is not null)).Distinct()
            .GroupBy(arm => arm.Arm, (arm, all) => (Arm: arm, Compared: all.Any(one => one.Compared))).ToList();
        var table = new TextTable(["size", .. arms.SelectMany(arm => arm.Compared ? new[] { arm.Arm, "ratio" } : [arm.Arm])]);
        foreach (var workload in Arms.ByWorkload(run).OrderBy(workload => workload.Key.Size))
        {
            table.Add([Arms.NameOf(run, workload.Key), .. arms.SelectMany(arm =>
            {
                var cell = workload.FirstOrDefault(cell => cell.Key.Arm == arm.Arm);
                var time = cell is null ? Quantity.None : cell.Show(Metric.Mean);
                return arm.Compared ? new[] { time, cell is null ? Quantity.None : RunTables.Ratio(run, cell, Metric.Mean) } : [time];
            })]);
        }
        return table;
    }
}
