using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Documents;

/// <summary>The table that compares a run with a base, with a row per cell and metric.</summary>
internal static class ComparisonTable
{
    /// <summary>Makes the table, and counts the rows that are left out because their verdict is undecided or no difference.</summary>
    public static (TextTable Table, int Left) Make(FileComparison comparison, bool verbose)
    {
        var left = 0;
        var table = new TextTable(
            Arms.Heading(comparison.Before.Run), "transport", "metric", comparison.Before.Name, comparison.After.Name, "ratio",
            "verdict")
        { Words = 3, LastIsWords = true };
        foreach (var (before, after) in comparison.Cells.OrderBy(cell => cell.Before.Key.Size))
        {
            foreach (var metric in FileComparison.Shown.Where(metric =>
                metric.Value(before.Median!) is not null || metric.Value(after.Median!) is not null))
            {
                var verdict = comparison.Judge(before, after, metric);
                if (!verbose && verdict?.Kind is not VerdictKind.Higher and not VerdictKind.Lower)
                {
                    left++;
                    continue;
                }
                table.Add(Arms.NameOf(comparison.Before.Run, before.Workload), before.Key.Arm, metric.Title, before.ShowMiddle(metric),
                    after.ShowMiddle(metric),
                    verdict is null ? Quantity.None : VerdictText.Change(verdict.Estimate), verdict is null ? "undecided"
                        : VerdictText.Describe(verdict, metric));
            }
        }
        return (table, left);
    }

    /// <summary>Says how the ratios were computed.</summary>
    public static string Method(IReadOnlyList<FileComparison> comparisons)
    {
        if (comparisons is [{ IsPaired: true } sides])
        {
            return $"Both sides were measured in the same {Quantity.Many(sides.After.Run.CommonRounds, "round")}. Latencies "
                + "are of the calls of all rounds, everything else is the median of the rounds; ratios compare both sides within a round "
                + "(Hodges–Lehmann), with simultaneous intervals for all cells and metrics, "
                + (sides.HasLimits ? "separately for metrics with and without limits, " : "")
                + (sides.IsLookedAt ? "at every look (t-mixture confidence sequence)." : "by sign flips of rounds (max-T).");
        }
        var widest = comparisons.Max(comparison => FileComparison.Shown.Max(metric => comparison.DriftOf(metric).Allowance));
        var marks = comparisons.Count > 1
            ? $" ? undecided, = no difference larger than {Quantity.Percent(Math.Max(
                Verdict.WidestOfNoDifference, comparisons.Max(comparison => comparison.After.Run.Record.Options.Delta)))}." : "";
        var confidence = VerdictText.Confidence(1 - comparisons.Min(comparison => comparison.Alpha));
        return $"Rounds of two files are not pairs: ratios of the metric's medians over the rounds, with exact rank-sum intervals, "
            + $"simultaneous for all cells and metrics{(comparisons.Any(comparison => comparison.HasLimits)
                ? " (separately for metrics with and without limits)" : "")} at {confidence}"
            + (widest > 0 ? $", widened by up to {Quantity.Percent(Math.Exp(widest) - 1)} for the drift of the machine in each metric" : "")
            + $".{marks}";
    }
}
