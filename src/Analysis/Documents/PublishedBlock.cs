using System.Text;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Documents;

/// <summary>A part of what is said of a write-up, before it becomes text, Markdown or HTML: a caption, a table below it, and sentences; each may be absent.</summary>
internal sealed record PublishedBlock(string Caption, TextTable? Table, IReadOnlyList<string> Sentences)
{
    /// <summary>The blocks one below the other, an empty line between them.</summary>
    public static StringBuilder Append(StringBuilder text, IEnumerable<PublishedBlock> blocks, bool markdown)
    {
        var first = true;
        foreach (var block in blocks)
        {
            if (!first)
                text.Line();
            block.Append(text, markdown);
            first = false;
        }
        return text;
    }

    private void Append(StringBuilder text, bool markdown)
    {
        if (Caption.Length > 0)
            text.Line(markdown ? TextTable.Escape(Caption) : Caption);
        if (Table is { IsEmpty: false })
        {
            // A Markdown table and a list begin after an empty line.
            text.Append(markdown && Caption.Length > 0 ? "\n" : "").Append(markdown ? Table.ToMarkdown() : Table.ToText());
        }
        if (markdown && Sentences.Count > 0 && (Caption.Length > 0 || Table is { IsEmpty: false }))
            text.Line();
        foreach (var sentence in Sentences)
            text.Line(markdown ? "- " + TextTable.Escape(sentence) : "  " + sentence);
    }
}
