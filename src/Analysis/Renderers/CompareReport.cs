using System.Text;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Renderers;

/// <summary>
/// Runs against a base, as text or Markdown: what changed in a sentence a metric, in what the runs differ, the rows that are decided, and
/// what only one has.
/// </summary>
/// <param name="markdown">Markdown, else text.</param>
/// <param name="verbose">With the rows that are not decided.</param>
/// <param name="width">Columns of the terminal; null: lines are as long as they are.</param>
public sealed class CompareReport(bool markdown, bool verbose = false, int? width = null)
{
    private static IReadOnlyList<Metric> Shown => FileComparison.Shown;

    public string Make(IReadOnlyList<FileComparison> comparisons)
    {
        var text = new StringBuilder();
        foreach (var comparison in comparisons)
            AppendDifferences(text, comparison);
        var (table, left) = comparisons.Count == 1 ? OfTwo(comparisons[0], verbose) : (OfMany(comparisons), 0);
        var isEmpty = table.IsEmpty && left == 0;
        if (isEmpty)
            text.Line("No cell is in all of the files.");
        else if (!table.IsEmpty)
            Append(text, table);
        if (left > 0)
            Say(text, $"{Quantity.Many(left, table.IsEmpty ? "row" : "more row")} without a decided difference: --verbose");
        foreach (var comparison in comparisons)
        {
            AppendOnly(text, comparison.Before, comparison.OnlyBefore);
            AppendOnly(text, comparison.After, comparison.OnlyAfter);
        }
        if (!isEmpty)
            Say(text.Line(), Method(comparisons));
        return PrintableText.Of(text.Replace("\n\n\n", "\n\n").ToString());
    }

    private void AppendDifferences(StringBuilder text, FileComparison comparison)
    {
        var (before, after) = (comparison.Before.Name, comparison.After.Name);
        Heading(text, $"{after} against {before}");
        foreach (var sentence in CompareSummary.Sentences(comparison, Shown))
            Say(text, sentence, "- ");
        if (comparison.IsPaired)
            text.Append(comparison.Cells.Count > 0 ? "\n" : "");
        else
            Say(text.Append(comparison.Cells.Count > 0 ? "\n" : ""), comparison.SameMachine
            ? "The machines are the same, as far as the files tell."
            : "The machines differ: read ratios as machine and transport together.");
        if (comparison.CountedTheOldWay is { } old)
        {
            Say(text, $"{Safe(old.Name)} was made by an older version, whose windows began empty and left out the calls "
                + "that their end cut: its rates of large replies are lower by that alone, "
                + "so make it again before believing a difference of rates.");
        }
        text.Line();
        var table = new TextTable("differs", before, after) { Words = 3 };
        foreach (var difference in comparison.Machines.Concat(comparison.Settings))
            table.Add(difference.What, OrNone(difference.Before), OrNone(difference.After));
        if (!table.IsEmpty)
            Append(text, table).Append(markdown ? "" : "\n");
    }

    /// <summary>The rows, and how many were left out since nothing is decided there.</summary>
    private static (TextTable Table, int Left) OfTwo(FileComparison comparison, bool verbose)
    {
        var left = 0;
        var table = new TextTable(
            Arms.Heading(comparison.Before.Run), "transport", "metric", comparison.Before.Name, comparison.After.Name, "ratio",
            "verdict")
        { Words = 3, LastIsWords = true };
        foreach (var (before, after) in comparison.Cells.OrderBy(cell => cell.Before.Key.Size))
        {
            foreach (var metric in Shown.Where(metric => Value(before, metric) != null || Value(after, metric) != null))
            {
                var verdict = comparison.Judge(before, after, metric);
                if (!verbose && verdict?.Kind is not VerdictKind.Higher and not VerdictKind.Lower)
                {
                    left++;
                    continue;
                }
                table.Add(Arms.NameOf(comparison.Before.Run, before.Point), before.Key.Arm, metric.Title, Middle(before, metric),
                    Middle(after, metric),
                    verdict == null ? Quantity.None : VerdictText.Change(verdict.Estimate), verdict == null ? "cannot tell"
                        : VerdictText.Of(verdict, metric));
            }
        }
        return (table, left);
    }

    /// <summary>One column a file, with its ratio to the base where it is decided.</summary>
    private static TextTable OfMany(IReadOnlyList<FileComparison> comparisons)
    {
        var table = new TextTable([Arms.Heading(comparisons[0].Before.Run), "transport", "metric", comparisons[0].Before.Name,
            .. comparisons.Select(c => c.After.Name)])
        { Words = 3 };
        foreach (var cell in comparisons[0].Before.Run.Cells.Where(cell => cell.Median != null).OrderBy(cell => cell.Key.Size))
        {
            foreach (var metric in Shown.Where(metric => Value(cell, metric) != null))
                table.Add([Arms.NameOf(comparisons[0].Before.Run, cell.Point), cell.Key.Arm, metric.Title, Middle(cell, metric),
                    .. comparisons.Select(c => Column(c, cell.Key, metric))]);
        }
        return table;
    }

    private static string Column(FileComparison comparison, CellKey key, Metric metric)
    {
        var pair = comparison.Cells.FirstOrDefault(cell => cell.Before.Key == key);
        if (pair.After == null || comparison.Judge(pair.Before, pair.After, metric) is not { } verdict)
            return Quantity.None;
        var mark = verdict.Kind switch { VerdictKind.CannotTell => "?", VerdictKind.NoDifference => "=", _ => "" };
        return $"{Middle(pair.After, metric)} ({Quantity.Ratio(verdict.Estimate.Ratio)}{mark})";
    }

    private void AppendOnly(StringBuilder text, NamedRun file, IReadOnlyList<CellKey> keys)
    {
        if (keys.Count == 0)
            return;
        text.Line();
        Say(text, $"Only in {file.Name}: {string.Join("; ", keys.Select(
            key => $"{key.Arm}, {key.Work}{Corpus(key)}, c {Number(key.Connections, "0")}, m {Number(key.Streams, "0")}, "
                + $"{key.Load}"))}.");
    }

    // The same method with other requests is other work.
    private static string Corpus(CellKey key) => key.Corpus.Length == 0 ? "" : $" (requests {key.Corpus})";

    private static string Method(IReadOnlyList<FileComparison> comparisons)
    {
        if (comparisons is [{ IsPaired: true } sides])
        {
            return $"Both sides were measured in the same {Quantity.Many(sides.After.Run.CommonRounds, "round")}: "
                + "ratios of pairs of a round (Hodges–Lehmann) with intervals that hold for all cells and metrics at once, "
                + (sides.HasLimits ? "those of limits and those of the others, " : "")
                + (sides.IsLookedAt ? "at every look (t-mixture confidence sequence)." : "by sign flips of rounds (max-T).");
        }
        var widest = comparisons.Max(comparison => Shown.Max(metric => comparison.DriftOf(metric).Allowance));
        var marks = comparisons.Count > 1 ? " ? cannot tell, = no difference that matters." : "";
        var confidence = VerdictText.Confidence(1 - comparisons.Min(comparison => comparison.Alpha));
        return $"Rounds of two files are not pairs: ratios of the metric's medians over the rounds, with exact rank-sum intervals that "
            + $"hold for all cells and metrics at once with {confidence}{(widest > 0 ? $", widened by up to {Quantity.Percent(
            Math.Exp(widest) - 1)} for the drift of the machine that the files show in each metric" : "")}.{marks}";
    }

    private StringBuilder Append(StringBuilder text, TextTable table) => text.Append(markdown ? table.ToMarkdown()
        : (width is { } most ? table.Fit(most) : table).ToText())
        .Append(markdown ? "\n" : "");

    private void Say(StringBuilder text, string sentence, string mark = "")
    {
        foreach (var line in TextWrapping.Lines(Safe(sentence), markdown ? null : width, mark, new string(' ', mark.Length)))
            text.Line(line);
    }

    private void Heading(StringBuilder text, string heading) => text.Append(text.Length == 0 ? "" : "\n")
        .Line((markdown ? "## " : "") + Safe(heading)).Line();

    private string Safe(string text) => markdown ? TextTable.Escape(text) : text;

    /// <summary>The median of the metric itself over the rounds: the ratio beside it is that of these two numbers.</summary>
    private static string Middle(MeasuredCell cell, Metric metric)
    {
        var logs = cell.Values(metric).Where(value => value > 0).Select(value => Math.Log(value)).ToList();
        var bound = metric.IsBound(cell.Rounds) ? "≥ " : "";
        return logs.Count == 0 ? metric.Show(cell.Median!) : bound + Quantity.Show(Math.Exp(RatioEstimate.Median(logs)), metric.Unit);
    }

    private static double? Value(MeasuredCell cell, Metric metric) => metric.Value(cell.Median!);

    private static string OrNone(string text) => text.Length == 0 ? Quantity.None : text;
}
