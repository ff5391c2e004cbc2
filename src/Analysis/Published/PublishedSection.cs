using System.Text;
using IpcBench.Analysis.Measures;
using IpcBench.Analysis.Reports;
using static IpcBench.Analysis.Reports.TextBuilding;

namespace IpcBench.Analysis.Published;

/// <summary>A published table beside the measured ones, as text or Markdown: figures, ratios with verdicts, what only one side has, and what explains it.</summary>
internal sealed class PublishedSection(bool markdown)
{
    /// <summary>Everything that is said of one write-up and the runs that repeat it; without runs, what was published.</summary>
    public StringBuilder Append(StringBuilder text, PublishedComparison published, IReadOnlyList<ReportFile> files)
    {
        Item(text, $"{published.Author}, \"{published.Title}\", {published.Year}: {published.Where}");
        Item(text, $"quoted for: {published.Claim}");
        Item(text, published.Setup);
        Item(text, $"its machine: {published.Machine}");
        foreach (var remark in published.Remarks)
            Item(text, remark);
        if (files.Count == 0)
            text.Line().Line($"Not measured here yet: {Code(published.Command)}");
        if (published.Figures.Count > 0)
            Table(text.Line(), Figures(published, files));
        foreach (var file in files)
            AppendRun(text, published, file, files.Count > 1 ? file.Name + ": " : "");
        return text;
    }

    private void AppendRun(StringBuilder text, PublishedComparison published, ReportFile file, string prefix)
    {
        if (Ratios(published, file.Run) is { IsEmpty: false } ratios)
        {
            Line(text.Line(), prefix + $"ratios by requests/s, with the {published.Shown.Title} of both sides:");
            Table(Gap(text), ratios);
        }
        AppendLeftOver(text, published, file.Run, prefix);
        foreach (var explained in published.Explanations.Select(explanation => explanation.Of(file.Run, published)).OfType<Explained>())
            Append(text, explained, prefix);
    }

    /// <summary>An explanation with its table and its words.</summary>
    public void Append(StringBuilder text, Explained explained, string prefix = "")
    {
        Line(text.Line(), prefix + explained.Title + ":");
        if (!explained.Table.IsEmpty)
            Table(Gap(text), explained.Table);
        if (explained.Sentences.Count > 0)
            Gap(text);
        foreach (var sentence in explained.Sentences)
            Item(text, sentence);
    }

    /// <summary>The verdicts in one line: the words of a single one, else how many of each.</summary>
    public static string Summary(PublishedComparison published, MeasuredRun run)
    {
        var verdicts = Verdicts(published, run).Where(verdict => verdict.Published.IsKnown).ToList();
        return verdicts switch
        {
            [] => "nothing to compare with",
            [var only] => $"{only.Text} ({Comparison.VerdictText.Ratio(only.Measured.Verdict.Estimate)} against {only.Published.Text})",
            _ => string.Join(", ", verdicts.GroupBy(verdict => Word(verdict.Agreement)).Select(group => $"{group.Key} {Number(group.Count(), "0")}")) + $" (measured {Range(verdicts)})",
        };
    }

    private static string Range(List<PublishedVerdict> verdicts)
    {
        var ratios = verdicts.ConvertAll(verdict => verdict.Measured.Verdict.Estimate.Ratio);
        return $"{Quantity.Ratio(ratios.Min())} to {Quantity.Ratio(ratios.Max())}";
    }

    private static string Word(Agreement agreement) => agreement switch { Agreement.Agrees => "agrees", Agreement.Differs => "differs", _ => "cannot tell" };

    private static IEnumerable<PublishedVerdict> Verdicts(PublishedComparison published, MeasuredRun run) =>
        published.Ratios.Select(ratio => PublishedVerdict.Of(run, ratio)).OfType<PublishedVerdict>();

    private static TextTable Figures(PublishedComparison published, IReadOnlyList<ReportFile> files)
    {
        var table = new TextTable(["what", "metric", "known", "published", .. files.Count == 1 ? ["measured"] : files.Select(file => file.Name)]) { Words = 3 };
        foreach (var figure in published.Figures)
            table.Add([figure.What, figure.Metric.Title, Known(figure.Origin), figure.Text, .. files.Select(file => figure.Cell.In(file.Run) is { } cell ? figure.Metric.Show(cell.Median!) : Quantity.None)]);
        return table;
    }

    private static TextTable Ratios(PublishedComparison published, MeasuredRun run)
    {
        var table = new TextTable("what", "known", "published", "measured", "the first", "the other", "verdict") { Words = 2, LastIsWords = true };
        foreach (var verdict in Verdicts(published, run))
        {
            table.Add(verdict.Published.What, Known(verdict.Published.Origin), verdict.Published.Text, Comparison.VerdictText.Ratio(verdict.Measured.Verdict.Estimate),
                published.Shown.Show(verdict.Measured.Cell.Median!), published.Shown.Show(verdict.Measured.Reference.Median!), verdict.Text);
        }
        return table;
    }

    private void AppendLeftOver(StringBuilder text, PublishedComparison published, MeasuredRun run, string prefix)
    {
        var choices = published.Figures.Select(figure => figure.Cell).Concat(published.Ratios.SelectMany(ratio => new[] { ratio.Cell, ratio.Reference })).Distinct().ToList();
        var missing = published.Figures.Count > 0
            ? published.Figures.Where(figure => figure.Cell.In(run) == null).Select(figure => figure.What)
            : published.Ratios.Where(ratio => ratio.Cell.In(run) == null || ratio.Reference.In(run) == null).Select(ratio => ratio.What);
        if (missing.Distinct().ToList() is { Count: > 0 } named)
            Line(text.Line(), $"{prefix}Only published: {string.Join("; ", named)}.");
        var own = run.Cells.Where(cell => cell.Median != null && !choices.Exists(choice => choice.Fits(cell.Key))).GroupBy(cell => cell.Key.Arm).ToList();
        if (own.Count > 0)
            Line(text.Line(), $"{prefix}Only measured: {string.Join("; ", own.Select(arm => Own(run, arm)))}.");
    }

    private static string Own(MeasuredRun run, IGrouping<string, MeasuredCell> arm) =>
        arm.Count() <= 6 ? $"{arm.Key} ({string.Join(" / ", arm.Select(cell => Arms.NameOf(run, cell.Point)))})" : Invariant($"{arm.Key} ({arm.Count()} cells)");

    private static string Known(PublishedOrigin origin) => origin switch
    {
        PublishedOrigin.Original => "read there",
        PublishedOrigin.SecondHand => "second-hand",
        PublishedOrigin.AsReported => "as reported",
        _ => "not found",
    };

    private void Table(StringBuilder text, TextTable table) => text.Append(markdown ? table.ToMarkdown() : table.ToText());

    private void Line(StringBuilder text, string line) => text.Line(Safe(line));

    private void Item(StringBuilder text, string line) => text.Line((markdown ? "- " : "  ") + Safe(line));

    // A Markdown table begins after an empty line.
    private StringBuilder Gap(StringBuilder text) => markdown ? text.Line() : text;

    private string Code(string command) => markdown ? $"`{command}`" : command;

    private string Safe(string line) => markdown ? TextTable.Escape(line) : line;
}
