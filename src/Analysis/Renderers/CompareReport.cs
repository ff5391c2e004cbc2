using System.Text;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Renderers;

/// <summary>
/// Runs compared with a base, as text or Markdown: a sentence per metric, the differences of the machines and settings,
/// the decided rows (with <paramref name="verbose"/> all rows), and the cells that only one of the runs has.
/// </summary>
/// <param name="width">Columns of the terminal. Null when lines are not wrapped.</param>
public sealed class CompareReport(bool markdown, bool verbose = false, int? width = null)
{
    public string Make(IReadOnlyList<FileComparison> comparisons)
    {
        var text = new StringBuilder();
        foreach (var comparison in comparisons)
            AppendDifferences(text, comparison);
        var (table, left) = comparisons.Count == 1 ? ComparisonTable.Make(comparisons[0], verbose) : (OfMany(comparisons), 0);
        var isEmpty = table.IsEmpty && left == 0;
        if (isEmpty)
            text.Line("No cell is in all files.");
        else if (!table.IsEmpty)
            Append(text, table);
        if (left > 0)
            Say(text, $"{Quantity.Many(left, table.IsEmpty ? "row" : "more row")} without a decided difference (--verbose shows all)");
        foreach (var comparison in comparisons)
        {
            AppendOnly(text, comparison.Before, comparison.OnlyBefore);
            AppendOnly(text, comparison.After, comparison.OnlyAfter);
        }
        if (!isEmpty)
            Say(text.Line(), ComparisonTable.Method(comparisons));
        return PrintableText.Of(text.Replace("\n\n\n", "\n\n").ToString());
    }

    private void AppendDifferences(StringBuilder text, FileComparison comparison)
    {
        var (before, after) = (comparison.Before.Name, comparison.After.Name);
        Heading(text, $"{after} against {before}");
        foreach (var sentence in Answers.Between(comparison))
            Say(text, sentence, "- ");
        if (comparison.IsPaired)
            text.Append(comparison.Cells.Count > 0 ? "\n" : "");
        else
            Say(text.Append(comparison.Cells.Count > 0 ? "\n" : ""), comparison.SameMachine
            ? "The machines are the same, as far as the files tell."
            : "The machines differ: ratios show the effect of machine and transport together.");
        text.Line();
        var table = new TextTable("differs", before, after) { Words = 3 };
        foreach (var difference in comparison.Machines.Concat(comparison.Settings))
            table.Add(difference.What, OrNone(difference.Before), OrNone(difference.After));
        if (!table.IsEmpty)
            Append(text, table).Append(markdown ? "" : "\n");
    }

    /// <summary>
    /// Makes a table with a column per file. Each value is followed by its ratio to the base. The mark ? means that the ratio
    /// is undecided, and the mark = means <see cref="VerdictKind.NoDifference"/>.
    /// </summary>
    private static TextTable OfMany(IReadOnlyList<FileComparison> comparisons)
    {
        var table = new TextTable([Arms.Heading(comparisons[0].Before.Run), "transport", "metric", comparisons[0].Before.Name,
            .. comparisons.Select(c => c.After.Name)])
        { Words = 3 };
        foreach (var cell in comparisons[0].Before.Run.Cells.Where(cell => cell.Median is not null).OrderBy(cell => cell.Key.Size))
        {
            foreach (var metric in FileComparison.Shown.Where(metric => metric.Value(cell.Median!) is not null))
                table.Add([Arms.NameOf(comparisons[0].Before.Run, cell.Workload), cell.Key.Arm, metric.Title, cell.ShowMiddle(metric),
                    .. comparisons.Select(c => Column(c, cell.Key, metric))]);
        }
        return table;
    }

    private static string Column(FileComparison comparison, CellKey key, Metric metric)
    {
        var pair = comparison.Cells.FirstOrDefault(cell => cell.Before.Key == key);
        if (pair.After is null || comparison.Judge(pair.Before, pair.After, metric) is not { } verdict)
            return Quantity.None;
        var mark = verdict.Kind switch { VerdictKind.CannotTell => "?", VerdictKind.NoDifference => "=", _ => "" };
        return $"{pair.After.ShowMiddle(metric)} ({Quantity.Ratio(verdict.Estimate.Ratio)}{mark})";
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

    // The same method with other requests is another cell, so the text names the requests.
    private static string Corpus(CellKey key) => key.Corpus.Length == 0 ? "" : $" (requests {key.Corpus})";

    private StringBuilder Append(StringBuilder text, TextTable table) => markdown ? text.Append(table.ToMarkdown()).Append('\n')
        : table.Lines(width).Aggregate(text, (all, line) => all.Line(line));

    private void Say(StringBuilder text, string sentence, string mark = "")
    {
        foreach (var line in TextWrapping.Lines(Safe(sentence), markdown ? null : width, mark, new string(' ', mark.Length)))
            text.Line(line);
    }

    private void Heading(StringBuilder text, string heading) => text.Append(text.Length == 0 ? "" : "\n")
        .Line((markdown ? "## " : "") + Safe(heading)).Line();

    private string Safe(string text) => markdown ? TextTable.Escape(text) : text;

    private static string OrNone(string text) => text.Length == 0 ? Quantity.None : text;
}
