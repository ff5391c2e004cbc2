using System.Text;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;

namespace IpcBench.Analysis.Documents;

/// <summary>A bar chart of characters: a bar per cell, with a scale for each workload.</summary>
internal static class BarChart
{
    private const int Width = 40;
    private const string Eighths = " ▏▎▍▌▋▊▉";

    /// <summary>Draws the bars of the cells at full load, or of the cells at a given load.</summary>
    /// <param name="scale">The length of the longest bar, as a share of the usual length.</param>
    public static string Draw(MeasuredRun run, bool atFullLoad, double scale)
    {
        var text = new StringBuilder();
        var workloads = RunTables.InOrder(run).Where(cell => RunTables.IsAtFullLoad(cell) == atFullLoad)
            .GroupBy(cell => cell.Workload).ToList();
        if (workloads.Count == 0)
            return "";
        var names = workloads.Select(workload => Arms.NameOf(run, workload.Key)).ToList();
        var (nameWidth, armWidth) = (names.Max(name => name.Length), run.Cells.Max(cell => cell.Key.Arm.Length));
        foreach (var (workload, name) in workloads.Zip(names))
        {
            var metric = ArmComparison.Headline(workload.First());
            var most = workload.Max(cell => cell.Value(metric) ?? 0);
            foreach (var (i, cell) in workload.Index())
            {
                var share = most > 0 ? (cell.Value(metric) ?? 0) / most : 0;
                var unit = metric == Metric.Rate ? "" : " " + metric.Title;
                text.Append("  ").Append((i == 0 ? name : "").PadRight(nameWidth)).Append("  ").Append(cell.Key.Arm.PadRight(armWidth))
                    .Append("  ")
                    .Append(Bar(share * scale)).Append(' ').Append(cell.Show(metric)).Append(unit).Append('\n');
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
