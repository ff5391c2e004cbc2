using System.Text;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;

namespace IpcBench.Analysis.Documents;

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
