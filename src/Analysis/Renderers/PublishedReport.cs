using System.Text;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Doubts;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Published;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Renderers;

/// <summary>A Markdown page with published numbers next to measured numbers.</summary>
public sealed class PublishedReport : IReport
{
    public string Format => "published";

    public string Make(ReportModel model)
    {
        var text = new StringBuilder("# Published comparisons, measured again\n\n");
        var (tables, origins) = (new StringBuilder(), new StringBuilder());
        if (Verdict(model) is { Length: > 0 } verdict)
            text.Line(verdict).Line();
        text.Append(Summary(model).ToMarkdown()).Line();
        text.Line("*Agrees*: the whole measured interval lies within --delta of the published ratio. *Compatible*: it contains the "
            + "published ratio and other ratios in the same direction. *Differs*: the whole interval lies outside the published ratio. "
            + "*Cannot tell*: too few rounds, or the interval contains both the published ratio and no difference. The interval of six "
            + "rounds reaches from the lowest to the highest round, so a single round can make it compatible. Only ratios are compared, "
            + "not absolute figures of different machines. *Known* says where a published number was read.").Line();
        text.Line("Made by `GrpcBench report results/published/*.json --format published -o docs/published-comparisons.md`: every measured "
            + "number is computed from those files. Several files of one write-up (x86 and ARM, Linux and Windows) stand side by side.");
        foreach (var published in WriteUps.All)
            Append(text, tables, published, Measured(model, published));
        var others = InOrder(model.Files.Where(file => WriteUps.Find(file.Run).Count == 0));
        AppendOthers(text, others);
        foreach (var file in InOrder(model.Files.Except(others)).OrderBy(PlaceOf).Concat(others))
            AppendOrigin(origins, file);
        if (tables.Length > 0)
            text.Line().Line("## Long tables").Append(tables);
        if (origins.Length > 0)
            text.Line().Line("## How each was measured").Append(origins);
        return PrintableText.Of(text.ToString());
    }

    // A table that has a caption and more rows than this is moved to the end of the page.
    private const int MostRows = 8;

    /// <summary>Writes a sentence with the number of verdicts of each kind on the page. Empty without verdicts.</summary>
    private static string Verdict(ReportModel model)
    {
        var judged = WriteUps.All
            .SelectMany(published => Measured(model, published).SelectMany(file => PublishedSection.Judged(published, file.Run)))
            .GroupBy(verdict => PublishedSection.Word(verdict.Agreement)).ToDictionary(group => group.Key, group => group.Count());
        string[] words = ["agrees", "compatible", "differs", "cannot tell"];
        return judged.Count == 0 ? "" : Invariant($"**{judged.Values.Sum()} verdicts, one for each measured size and run: ")
            + string.Join(", ", words.Select(word => Invariant($"{word} {judged.GetValueOrDefault(word)}"))) + ".**";
    }

    private static List<NamedRun> Measured(ReportModel model, PublishedComparison published) =>
        InOrder(model.Files.Where(file => WriteUps.Find(file.Run).Contains(published)));

    // Files are sorted by name, because shells list files in different orders.
    private static List<NamedRun> InOrder(IEnumerable<NamedRun> files) => [.. files.OrderBy(file => file.Name, StringComparer.Ordinal)];

    private static int PlaceOf(NamedRun file) => WriteUps.All.TakeWhile(published => !WriteUps.Find(file.Run).Contains(published)).Count();

    private static TextTable Summary(ReportModel model)
    {
        var table = new TextTable("write-up", "quoted for", "run", "verdict") { Words = 4 };
        foreach (var published in WriteUps.All)
        {
            var files = Measured(model, published);
            var name = Invariant($"{published.Author} {published.Year}");
            if (files.Count == 0)
                table.Add(name, published.Claim, "not measured here yet", "");
            foreach (var file in files)
                table.Add(name, published.Claim, file.Name, PublishedSection.Summary(published, file.Run));
        }
        return table;
    }

    private static void Append(
        StringBuilder text, StringBuilder tables, PublishedComparison published, IReadOnlyList<NamedRun> files)
    {
        var title = Invariant($"{published.Year}: {TextTable.Escape(published.Title)}");
        text.Line().Line($"## {title}").Line();
        var blocks = PublishedSection.Make(published, files).ToLookup(block => block is { Table.Rows.Count: > MostRows, Caption: not "" });
        MarkdownReport.Append(text, [.. blocks[false]]);
        foreach (var block in blocks[true])
        {
            text.Line().Line($"{block.Caption.TrimEnd(':')}: at the [end](#long-tables).");
            tables.Line();
            MarkdownReport.Append(tables, [block with { Caption = $"{title}; {block.Caption}" }]);
        }
        text.Line().Line($"Repeat it: `{published.Command}`");
    }

    /// <summary>
    /// Appends how a file was measured. If a script ran the tool, the tool's command line is left out, because that command
    /// line is long and has random ports. The page already has the command of the script.
    /// </summary>
    private static void AppendOrigin(StringBuilder text, NamedRun file)
    {
        var document = new Document(file);
        MarkdownReport.Append(text, document.Header with { Title = $"{file.Name} was measured with" });
        if (WriteUps.Find(file.Run).All(published => published.Command.StartsWith("GrpcBench", StringComparison.Ordinal)))
            text.Line(MarkdownReport.CommandOf(document));
        foreach (var doubt in Doubt.Find(file.Run))
            text.Line($"- doubt {TextTable.Code(doubt.Id)}: {TextTable.Escape(AdviceText.Doubt(doubt))}");
    }

    /// <summary>Appends the runs that repeat no write-up but help to explain the runs that repeat a write-up.</summary>
    private static void AppendOthers(StringBuilder text, IReadOnlyList<NamedRun> files)
    {
        foreach (var file in files)
        {
            text.Line().Line(TextTable.Escape($"## Also measured: {file.Name}")).Line();
            var document = new Document(file);
            MarkdownReport.Append(text, document.Answer.Blocks);
            MarkdownReport.Append(text, document.Layers);
        }
    }
}
