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

    /// <summary>Headings of columns that may be left out in a narrow terminal. The least important column is the first.</summary>
    public IReadOnlyList<string> Spare { get; init; } = [];

    public bool IsEmpty => rows.Count == 0;

    public IReadOnlyList<string> Headings => headings;

    public IReadOnlyList<IReadOnlyList<string>> Rows => rows;

    public TextTable Add(params string[] row)
    {
        rows.Add(row);
        return this;
    }

    /// <summary>
    /// Makes the aligned table, with two blanks between columns, no blanks at the ends of lines and \n after each line.
    /// </summary>
    public string ToText(string indent = "")
    {
        var widths = Widths(Enumerable.Range(0, headings.Length));
        var text = new StringBuilder();
        foreach (var row in rows.Prepend(headings))
            text.Append((indent + string.Join("  ", row.Select((cell, i) => Pad(cell, widths[i], i)))).TrimEnd(' ')).Append('\n');
        return text.ToString();
    }

    /// <summary>
    /// Leaves out columns of <see cref="Spare"/>, first the columns without a value, until the table is at most this wide. If
    /// the table stays too wide, all columns of <see cref="Spare"/> are left out.
    /// </summary>
    public TextTable Fit(int width)
    {
        var kept = Enumerable.Range(0, headings.Length).ToList();
        foreach (var column in Spare.Select(heading => Array.IndexOf(headings, heading)).Where(column => column >= 0).OrderBy(HasValues))
        {
            if (WidthOf(kept) <= width)
                break;
            kept.Remove(column);
        }
        var table = new TextTable([.. kept.Select(column => headings[column])])
        { Words = kept.Count(column => column < Words), LastIsWords = LastIsWords && kept[^1] == headings.Length - 1 };
        foreach (var row in rows)
            table.Add([.. kept.Select(column => row[column])]);
        return table;
    }

    /// <summary>
    /// Makes lines for a terminal. If there is room, the lines are an aligned table, and a line below names the columns
    /// that were left out. Otherwise each row is a paragraph with all columns.
    /// </summary>
    /// <param name="width">The number of columns of text. Null for no limit.</param>
    public IEnumerable<string> Lines(int? width)
    {
        var shown = width is { } most ? Fit(most) : this;
        if (width is { } narrow && shown.WidthOf([.. Enumerable.Range(0, shown.Headings.Count)]) > narrow)
            return rows.SelectMany(row => TextWrapping.Lines(Record(row), width, "", "  "));
        var left = headings.Where((heading, column) => !shown.Headings.Contains(heading) && HasValues(column)).ToList();
        return [.. shown.ToText().TrimEnd('\n').Split('\n'), .. left.Count == 0 ? []
            : TextWrapping.Lines($"(no room for {string.Join(", ", left)})", width)];
    }

    // Writes a row as text, for example "10 B, tcp: requests/s 19,691; client CPU 16.0 µs".
    private string Record(string[] row)
    {
        var words = Math.Min(Words, headings.Length - 1);
        return $"{string.Join(", ", row.Take(words))}: " + string.Join("; ", Enumerable.Range(words, headings.Length - words)
            .Where(column => row[column].Length > 0).Select(column => $"{headings[column]} {row[column]}"));
    }

    /// <summary>Makes a Markdown table, with a newline after each line.</summary>
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
    /// Escapes text from a file or server for Markdown, so that the text cannot become HTML, a cell, or a link or picture
    /// in brackets (followed by an address or a reference). A bare address may still become a link.
    /// </summary>
    internal static string Escape(string text) => text.Replace("\\", "\\\\", StringComparison.Ordinal)
        .Replace("|", "\\|", StringComparison.Ordinal).Replace("<", "&lt;", StringComparison.Ordinal)
        .Replace("](", "]\\(", StringComparison.Ordinal).Replace("][", "]\\[", StringComparison.Ordinal)
        .Replace("]:", "]\\:", StringComparison.Ordinal)
        .ReplaceLineEndings(" ");

    /// <summary>Formats text from a file as code in Markdown.</summary>
    internal static string Code(string text) => $"`{text.Replace('`', '\'').ReplaceLineEndings(" ")}`";

    private bool HasValues(int column) => rows.Exists(row => row[column] is not ("" or Quantity.None));

    private int WidthOf(IReadOnlyCollection<int> columns) => Widths(columns).Sum() + 2 * (columns.Count - 1);

    private int[] Widths(IEnumerable<int> columns) =>
        [.. columns.Select(column => rows.Select(row => row[column].Length).Append(headings[column].Length).Max())];

    private string Pad(string cell, int width, int column) => IsWords(column) ? cell.PadRight(width) : cell.PadLeft(width);
}
