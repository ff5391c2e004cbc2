using System.Text;

namespace IpcBench.Analysis.Wording;

/// <summary>Rows of text under headings, aligned for a terminal or as Markdown. Columns of numbers are right-aligned.</summary>
public sealed class TextTable(params string[] headings)
{
    private readonly List<string[]> rows = [];

    /// <summary>The number of columns, from the left, that hold words instead of numbers.</summary>
    public int Words { get; init; } = 1;

    /// <summary>Whether the last column holds words too.</summary>
    public bool LastIsWords { get; init; }

    /// <summary>Headings of columns that are left out first in a narrow terminal, the least important first.</summary>
    public IReadOnlyList<string> Spare { get; init; } = [];

    public bool IsEmpty => rows.Count == 0;

    public IReadOnlyList<string> Headings => headings;

    public IReadOnlyList<IReadOnlyList<string>> Rows => rows;

    public TextTable Add(params string[] row)
    {
        rows.Add(row);
        return this;
    }

    /// <summary>The aligned table, with two blanks between columns, no blanks at the ends of lines and \n after each line.</summary>
    public string ToText(string indent = "")
    {
        var widths = Widths(Enumerable.Range(0, headings.Length));
        var text = new StringBuilder();
        foreach (var row in rows.Prepend(headings))
            text.Append(indent).Append(string.Join("  ", row.Select((cell, i) => Pad(cell, widths[i], i)))).TrimEnd().Append('\n');
        return text.ToString();
    }

    /// <summary>
    /// The table within this many columns of text: columns of <see cref="Spare"/> are left out first, then the last
    /// columns, and the longest column of words is cut.
    /// </summary>
    public TextTable Fit(int width)
    {
        var kept = Enumerable.Range(0, headings.Length).ToList();
        int Over() => Widths(kept).Sum() + 2 * (kept.Count - 1) - width;
        var spare = Spare.Select(heading => Array.IndexOf(headings, heading)).ToList();
        foreach (var column in spare.Concat(kept.Skip(Words + 1).Except(spare).Reverse().Where(column => !IsWords(column)).ToList()))
        {
            if (Over() <= 0)
                break;
            kept.Remove(column);
        }
        var longest = kept.Where(IsWords).DefaultIfEmpty(kept[0]).MaxBy(column => Widths([column])[0]);
        var most = Math.Max(4, Widths([longest])[0] - Math.Max(0, Over()));
        string Room(string text, int column) => column == longest ? TextWrapping.Cut(text, most) : text;
        var table = new TextTable([.. kept.Select(column => Room(headings[column], column))])
        { Words = kept.Count(column => column < Words), LastIsWords = LastIsWords && kept[^1] == headings.Length - 1 };
        foreach (var row in rows)
            table.Add([.. kept.Select(column => Room(row[column], column))]);
        return table;
    }

    /// <summary>A Markdown table, with \n after each line.</summary>
    public string ToMarkdown()
    {
        var text = new StringBuilder();
        text.Append("| ").AppendJoin(" | ", headings.Select(Escape)).Append(" |\n");
        text.Append('|').AppendJoin('|', headings.Select((_, i) => IsWords(i) ? "---" : "--:")).Append("|\n");
        foreach (var row in rows)
            text.Append("| ").AppendJoin(" | ", row.Select(Escape)).Append(" |\n");
        return text.ToString();
    }

    public bool IsWords(int column) => column < Words || LastIsWords && column == headings.Length - 1;

    /// <summary>
    /// Escapes text from a file or server for Markdown, so that it cannot become HTML, a cell, a link or a picture
    /// (brackets followed by an address or a reference).
    /// </summary>
    internal static string Escape(string text) => text.Replace("\\", "\\\\", StringComparison.Ordinal)
        .Replace("|", "\\|", StringComparison.Ordinal).Replace("<", "&lt;", StringComparison.Ordinal)
        .Replace("](", "]\\(", StringComparison.Ordinal).Replace("][", "]\\[", StringComparison.Ordinal)
        .Replace("]:", "]\\:", StringComparison.Ordinal)
        .ReplaceLineEndings(" ");

    /// <summary>Text from a file as code in Markdown.</summary>
    internal static string Code(string text) => $"`{text.Replace('`', '\'').ReplaceLineEndings(" ")}`";

    private int[] Widths(IEnumerable<int> columns) =>
        [.. columns.Select(column => rows.Select(row => row[column].Length).Append(headings[column].Length).Max())];

    private string Pad(string cell, int width, int column) => IsWords(column) ? cell.PadRight(width) : cell.PadLeft(width);
}
