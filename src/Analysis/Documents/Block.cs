using IpcBench.Analysis.Results;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Documents;

/// <summary>A part of a section, which a renderer turns into text, Markdown or HTML. Empty members of a block are not shown.</summary>
internal sealed record Block
{
    /// <summary>The text above the table.</summary>
    public string Caption { get; init; } = "";

    /// <summary>Draws the table as a bar chart of characters, for terminals only. A scale below 1 makes shorter bars.</summary>
    public Func<double, string>? Bars { get; init; }

    /// <summary>
    /// The table. Null if the block has no table. If the table has no rows, some renderers show its headings and other
    /// renderers show nothing.
    /// </summary>
    public TextTable? Table { get; init; }

    /// <summary>The text below the table.</summary>
    public string Note { get; init; } = "";

    /// <summary>
    /// Explanations of columns. An explanation is about all columns whose headings contain its <c>Heading</c>.
    /// </summary>
    public IReadOnlyList<(string Heading, string Words)> Columns { get; init; } = [];

    /// <summary>The note under the table when all columns of the table are shown.</summary>
    public string WholeNote => NoteUnder(Table);

    /// <summary>Returns the note under the shown part of the table, without the words for columns that were left out.</summary>
    public string NoteUnder(TextTable? shown) => string.Join(' ', Columns
        .Where(column => shown?.Headings.Any(heading => heading.Contains(column.Heading, StringComparison.Ordinal)) == true)
        .Select(column => column.Words).Append(Note).Where(words => words.Length > 0));

    public IReadOnlyList<string> Sentences { get; init; } = [];

    public IReadOnlyList<Advice> Doubts { get; init; } = [];

    public bool IsEmpty => Caption.Length == 0 && Table is null && Sentences.Count == 0 && Doubts.Count == 0;
}
