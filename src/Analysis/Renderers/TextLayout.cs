using System.Text;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Renderers;

/// <summary>Where a text report is read.</summary>
/// <param name="Width">Columns of the terminal, which no line exceeds; null: a file, whose lines are as long as they are.</param>
/// <param name="IsColoured">Whether headings and winners stand out by colour.</param>
/// <param name="IsBrief">The answer, one table and the gravest doubts, and how to get the rest.</param>
public sealed record TextLayout(int? Width = null, bool IsColoured = false, bool IsBrief = false);

/// <summary>How a line stands out on a terminal that has colours.</summary>
internal enum Tone
{
    Plain,
    Heading,
    Winner,
    Quiet,
}

/// <summary>Lines of text for one layout.</summary>
internal sealed class TextPage(TextLayout layout)
{
    // ECMA-48, SGR: bold; green; faint.
    private static readonly string[] Colours = ["", "\u001b[1m", "\u001b[32m", "\u001b[2m"];

    private readonly StringBuilder text = new();

    public TextLayout Layout => layout;

    /// <summary>A line as it is; what would steer a terminal is left out of it.</summary>
    public TextPage Line(string line = "", Tone tone = Tone.Plain)
    {
        var clean = TextBuilding.Printable(line);
        text.Append(layout.IsColoured && tone != Tone.Plain && clean.Length > 0 ? $"{Colours[(int)tone]}{clean}\u001b[0m" : clean);
        text.Append('\n');
        return this;
    }

    /// <summary>A paragraph, in as many lines as it takes.</summary>
    public TextPage Wrapped(string paragraph, string indent = "", string hanging = "", Tone tone = Tone.Plain)
    {
        foreach (var line in TextWrapping.Lines(paragraph, layout.Width, indent, hanging))
            Line(line, tone);
        return this;
    }

    /// <summary>Lines that end with a newline each, cut where they are too long.</summary>
    public TextPage Drawn(string lines)
    {
        foreach (var line in lines.TrimEnd('\n').Split('\n'))
            Line(TextWrapping.Cut(line, layout.Width));
        return this;
    }

    public TextPage Table(TextTable table) => Drawn((layout.Width is { } width ? table.Fit(width) : table).ToText());

    public override string ToString() => text.ToString();
}
