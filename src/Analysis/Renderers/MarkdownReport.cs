using System.Text;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Doubts;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Renderers;

/// <summary>A Markdown report with the tables of a run, for a README or a pull request.</summary>
public sealed class MarkdownReport : IReport
{
    public string Format => "markdown";

    public string Make(ReportModel model)
    {
        var text = new StringBuilder();
        foreach (var file in model.Files)
        {
            if (model.Files.Count > 1)
                text.Append(file == model.Files[0] ? "" : "\n").Line("## " + TextTable.Escape(file.Name)).Line();
            Append(text, new Document(file));
        }
        return PrintableText.Of(text.ToString());
    }

    private static void Append(StringBuilder text, Document document)
    {
        if (document.OfBuilds is { Sides: var sides })
            text.Append(new CompareReport(markdown: true, verbose: true).Make([sides]));
        else
            Append(text, document.Answer.Blocks);
        foreach (var section in document.OfBuilds is null ? Sections(document) : [document.Doubts])
            Append(text, section);
        Append(text, document.Header);
        text.Line(CommandOf(document));
        Append(text, document.Published);
    }

    private static Section[] Sections(Document document) =>
    [
        document.HighestRate, document.AtGivenLoad, document.Throughput with { Title = "" },
        document.Latency, document.WakeUps, document.Profile, document.Connections,
        document.Layers, document.RoundTrips, document.Verdicts, document.Doubts,
    ];

    internal static string CommandOf(Document document) => $"- command: {TextTable.Code(document.Command)}";

    /// <summary>Appends an empty line, the title and the blocks. Appends nothing for an empty section.</summary>
    internal static void Append(StringBuilder text, Section section)
    {
        if (section.IsEmpty)
            return;
        text.Line();
        if (section.Title.Length > 0)
            text.Line(Above(section.Title)).Line();
        Append(text, section.Blocks);
    }

    internal static void Append(StringBuilder text, IReadOnlyList<Block> blocks)
    {
        foreach (var (i, block) in blocks.Index())
            Append(i == 0 ? text : text.Line(), block);
    }

    private static void Append(StringBuilder text, Block block)
    {
        var empty = text.Length;
        if (block.Caption.Length > 0)
            text.Line(Above(block.Caption));
        // A Markdown table or list needs an empty line before it.
        if (block.Table is not null)
            text.Append(text.Length > empty ? "\n" : "").Append(block.Table.ToMarkdown());
        if (block.WholeNote is { Length: > 0 } note)
            text.Line().Line(TextTable.Escape(note));
        if (block.Sentences.Count > 0 && text.Length > empty)
            text.Line();
        foreach (var sentence in block.Sentences)
            text.Line("- " + TextTable.Escape(sentence));
        foreach (var doubt in block.Doubts)
            text.Line($"- {TextTable.Code(doubt.Id)} {TextTable.Escape(AdviceText.Both(doubt))}");
    }

    /// <summary>Adds a colon to a heading of a table or list, unless the heading ends with a full stop or a colon.</summary>
    private static string Above(string title) => TextTable.Escape(title) + (title[^1] is '.' or ':' ? "" : ":");
}
