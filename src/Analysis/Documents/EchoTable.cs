using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Documents;

/// <summary>
/// Times of round trips with their changes against the reference (−10 % is faster): a row per size and a column per arm. If
/// there are many arms, or shared memory, whose ends can wait in several ways, each arm has a row. The row also shows the CPU
/// time of both sides, because some ways of waiting are faster only by using more CPU.
/// </summary>
internal static class EchoTable
{
    // More arms side by side are too wide for a terminal of 80 columns.
    private const int MostColumns = 3;

    public const string Title = "Mean time of a round trip, and its change against the reference in the same measurement round; "
        + "below 0 is faster";

    /// <summary>Whether a run measured raw round trips only.</summary>
    public static bool Fits(MeasuredRun run) => run.Cells.Any(cell => cell.Median is not null)
        && run.Cells.All(cell => cell.Key.Protocol == "echo");

    public static TextTable Make(MeasuredRun run)
    {
        var cells = Arms.ByWorkload(run).SelectMany(workload => workload).ToList();
        var arms = cells.Select(cell => (cell.Key.Arm, Compared: run.ReferenceOf(cell) is not null)).Distinct()
            .GroupBy(arm => arm.Arm, (arm, all) => (Arm: arm, Compared: all.Any(one => one.Compared))).ToList();
        if (arms.Count > MostColumns || cells.Exists(cell => cell.Key.Wait.Length > 0))
            return InRows(run);
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

    private static TextTable InRows(MeasuredRun run)
    {
        var table = new TextTable(Arms.Heading(run), "transport", "round trip", "ratio", "client CPU", "server CPU") { Words = 2 };
        foreach (var workload in Arms.ByWorkload(run).OrderBy(workload => workload.Key.Size))
        {
            foreach (var cell in workload)
                table.Add(Arms.NameOf(run, workload.Key), NameOf(cell.Key), cell.Show(Metric.Mean), RunTables.Ratio(run, cell, Metric.Mean),
                    cell.Show(Metric.ClientCpu), cell.Show(Metric.ServerCpu));
        }
        return table;
    }

    // The name without the protocol, which is the same in all rows: "shm, spin".
    private static string NameOf(CellKey key)
    {
        var name = key.Arm.Replace(" echo", "", StringComparison.Ordinal);
        return key.Wait.Length == 0 ? name : $"{key.Transport}, {name[(key.Transport.Length + 1)..]}";
    }
}
