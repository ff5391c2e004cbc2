using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Comparison;

/// <summary>Describes what changed between two files, in one sentence per metric.</summary>
internal static class CompareSummary
{
    public static IEnumerable<string> Sentences(FileComparison comparison, IReadOnlyList<Metric> metrics)
    {
        foreach (var metric in metrics)
        {
            var judged = comparison.JudgeAll(metric);
            if (judged.Count > 0)
                yield return $"{metric.Title}: {Sentence(comparison, metric, judged)}.";
        }
    }

    private static string Sentence(FileComparison comparison, Metric metric, IReadOnlyList<(MeasuredCell Cell, Verdict? Verdict)> judged)
    {
        IReadOnlyList<(MeasuredCell Cell, Verdict? Verdict)> Of(VerdictKind kind) => [.. judged.Where(one => one.Verdict?.Kind == kind)];
        var (better, worse) = metric.Better == Better.Lower
            ? (Of(VerdictKind.Lower), Of(VerdictKind.Higher)) : (Of(VerdictKind.Higher), Of(VerdictKind.Lower));
        var same = Of(VerdictKind.NoDifference);
        var open = judged.Count - better.Count - worse.Count - same.Count;
        if (open == judged.Count)
            return judged.Count == 1 ? "not decided in the one cell" : Invariant($"not decided in any of {judged.Count} cells");
        string[] parts =
        [
            Part("worse", comparison, metric, worse, judged.Count), Part("better", comparison, metric, better, judged.Count),
            same.Count == 0 ? "" : VerdictText.Within(same.Max(one => one.Verdict!.LargestDifference))
                + Invariant($" in {same.Count} of {judged.Count}"),
            open == 0 ? "" : Invariant($"not decided in {open} of {judged.Count}"),
        ];
        return string.Join(", ", parts.Where(part => part.Length > 0));
    }

    /// <summary>Says in how many cells the metric became better or worse, and the change in the cell that changed most.</summary>
    private static string Part(
        string word, FileComparison comparison, Metric metric, IReadOnlyList<(MeasuredCell Cell, Verdict? Verdict)> cells, int all)
    {
        if (cells.Count == 0)
            return "";
        var (cell, verdict) = cells.MaxBy(one => Math.Abs(Math.Log(one.Verdict!.Estimate.Ratio)));
        return Invariant($"{word} in {cells.Count} of {all} ({(cells.Count == 1 ? "" : "most: ")}{cell.Key.Arm}, ")
            + $"{Arms.NameOf(comparison.Before.Run, cell.Workload)}: {VerdictText.Describe(verdict!, metric)})";
    }
}
