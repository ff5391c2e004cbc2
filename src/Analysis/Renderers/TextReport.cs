using System.Text;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Doubts;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Renderers;

/// <summary>A report for a terminal: tables, doubts and, at the end so that it stays on the screen, the answer.</summary>
public sealed class TextReport(TextLayout? layout = null) : IReport
{
    public string Format => "text";

    public string Make(ReportModel model)
    {
        var page = new TextPage(layout ?? new TextLayout());
        foreach (var file in model.Files)
        {
            if (model.Files.Count > 1)
                (file == model.Files[0] ? page : page.Line()).Line($"### {file.Name}", Tone.Heading).Line();
            var document = new Document(file);
            if (document.OfBuilds is { Sides: var sides })
                OfBuilds(page, document, sides);
            else if (page.Layout.IsBrief && document.IsMeasured)
                Brief(page, document);
            else
                Whole(page, document);
        }
        return page.ToString();
    }

    /// <summary>Writes the report of <c>ab</c>, which compares two builds.</summary>
    private static void OfBuilds(TextPage page, Document document, FileComparison sides)
    {
        Doubts(page, document);
        page.Line();
        foreach (var line in new CompareReport(markdown: false, verbose: true, page.Layout.Width).Make([sides]).TrimEnd('\n').Split('\n'))
            page.Line(line);
    }

    /// <summary>Writes only the main results, the doubts and the answer.</summary>
    private static void Brief(TextPage page, Document document)
    {
        foreach (var section in new[] { document.Main, document.Profile, document.PublishedInBrief }.Where(section => !section.IsEmpty))
            Append(page, section);
        Doubts(page, document);
        Answer(page.Line(), document);
    }

    /// <summary>Writes the doubts: a line for each doubt if the layout is brief, otherwise the whole text.</summary>
    private static void Doubts(TextPage page, Document document)
    {
        var doubts = document.Doubts.Blocks.SelectMany(block => block.Doubts).ToList();
        // If the screen has no percentiles, the doubt about missing percentiles is left out.
        if (page.Layout.IsBrief && !document.HasPercentilesOnScreen)
            doubts.RemoveAll(doubt => doubt.Id == "few-samples");
        if (doubts.Count == 0)
            return;
        page.Line().Line(document.Doubts.Title + (page.Layout.IsBrief ? " (advice: -v)" : ""), Tone.Heading);
        var width = doubts.Max(doubt => doubt.Id.Length) + 2;
        foreach (var doubt in doubts)
        {
            if (page.Layout.IsBrief)
                page.Wrapped(AdviceText.Brief(doubt), "  " + doubt.Id.PadRight(width), new string(' ', width + 2));
            else
                Append(page, doubt);
        }
    }

    private static void Whole(TextPage page, Document document)
    {
        foreach (var line in document.Header.Blocks.SelectMany(block => block.Sentences))
            page.Wrapped(line, hanging: "  ", tone: Tone.Quiet);
        if (!document.IsMeasured)
            page.Line().Line("No round was measured.");
        foreach (var section in Sections(document).Where(section => !section.IsEmpty))
            Append(page, section);
        if (document.IsMeasured)
            Answer(page.Line(), document);
    }

    private static Section[] Sections(Document document) => document.IsMeasured
        ?
        [
            document.HighestRate, document.AtGivenLoad, document.Throughput, document.Latency, document.WakeUps, document.Profile,
            document.Connections, document.Layers, document.RoundTrips, document.Published, document.Method, document.Doubts,
        ]
        : [document.Doubts];

    // On a screen the winner is a highlighted line of figures. In a file, and on a narrow screen, the winner is in a sentence.
    private static void Answer(TextPage page, Document document)
    {
        if (document.Answer.IsEmpty)
            return;
        page.Line(document.Answer.Title, Tone.Heading);
        foreach (var block in document.Grid.Blocks)
            AppendGrid(page, block);
        foreach (var answer in document.AnswerLines)
        {
            var headline = "  " + answer.Headline;
            if (headline.Length <= page.Layout.Width && answer.Headline.Length > 0)
                page.Line(headline, Tone.Winner);
            else
                page.Wrapped(answer.Sentence, "  ", "    ");
        }
    }

    /// <summary>Writes a table of the answer. The table is never cut: on a narrow screen each row becomes a sentence.</summary>
    private static void AppendGrid(TextPage page, Block block)
    {
        page.Wrapped(block.Caption, "  ", "    ");
        var lines = block.Table!.ToText("  ").TrimEnd('\n').Split('\n');
        if (lines.Max(line => line.Length) <= (page.Layout.Width ?? int.MaxValue))
        {
            foreach (var line in lines)
                page.Line(line);
        }
        else
        {
            foreach (var row in block.Table.Rows)
                page.Wrapped($"{row[0]}: {row[1]}; CPU per call {row[2]}", "  ", "    ");
        }
        foreach (var (_, words) in block.Columns)
            page.Wrapped(words, "  ", "  ", Tone.Quiet);
        if (block.Note.Length > 0)
            page.Wrapped(block.Note, "  ", "  ", Tone.Winner);
    }

    private static void Append(TextPage page, Section section)
    {
        page.Line();
        if (section.Title.Length > 0)
            page.Wrapped(section.Title, tone: Tone.Heading);
        foreach (var (i, block) in section.Blocks.Index())
            Append(i == 0 ? page : page.Line(), block);
    }

    private static void Append(TextPage page, Block block)
    {
        if (block.Caption.Length > 0)
            page.Wrapped(block.Caption);
        if (block.Bars is { } bars)
            page.Drawn(bars);
        var shown = block.Table is { } table ? page.Table(table) : null;
        if (block.NoteUnder(shown) is { Length: > 0 } note)
            page.Wrapped(note, tone: Tone.Quiet);
        foreach (var sentence in block.Sentences)
            page.Wrapped(sentence, "  ", "    ");
        foreach (var doubt in block.Doubts)
            Append(page, doubt);
    }

    private static void Append(TextPage page, Advice doubt) =>
        page.Wrapped($"[{doubt.Id}] {AdviceText.Both(doubt)}", "  ", "    ");
}

/// <summary>The medium of a text report.</summary>
/// <param name="Width">Columns of the terminal, which lines do not exceed. Null for a file, whose lines are not wrapped.</param>
/// <param name="IsBrief">Whether to write only the main results, a line for each doubt, and the answer.</param>
public sealed record TextLayout(int? Width = null, bool IsColoured = false, bool IsBrief = false);

/// <summary>How a line is highlighted on a terminal with colours.</summary>
internal enum Tone
{
    Plain,
    Heading,
    Winner,
    Quiet,
}

/// <summary>Builds lines of text for a layout.</summary>
internal sealed class TextPage(TextLayout layout)
{
    // The codes are from ECMA-48, SGR: bold, green and faint.
    private static readonly string[] Colours = ["", "\u001b[1m", "\u001b[32m", "\u001b[2m"];

    private readonly StringBuilder text = new();

    public TextLayout Layout => layout;

    /// <summary>Adds a line, without characters that would control a terminal.</summary>
    public TextPage Line(string line = "", Tone tone = Tone.Plain)
    {
        // A report does not begin with an empty line.
        if (line.Length == 0 && text.Length == 0)
            return this;
        var clean = PrintableText.Of(line);
        text.Append(layout.IsColoured && tone != Tone.Plain && clean.Length > 0 ? $"{Colours[(int)tone]}{clean}\u001b[0m" : clean);
        text.Append('\n');
        return this;
    }

    /// <summary>Adds a paragraph, wrapped to the width.</summary>
    public TextPage Wrapped(string paragraph, string indent = "", string hanging = "", Tone tone = Tone.Plain)
    {
        foreach (var line in TextWrapping.Lines(paragraph, layout.Width, indent, hanging))
            Line(line, tone);
        return this;
    }

    /// <summary>
    /// Adds bars and an empty line. The bars are shorter on a narrow page, and left out if even short bars do not fit: bars that were
    /// cut would look equal.
    /// </summary>
    /// <param name="draw">Draws the bars at this scale, in lines that end with \n.</param>
    public void Drawn(Func<double, string> draw)
    {
        if (draw(1).Length == 0)
            return;
        double[] scales = [1, 0.75, 0.5, 0.25];
        string[]? fitting = scales.Select(scale => draw(scale).TrimEnd('\n').Split('\n'))
            .FirstOrDefault(lines => lines.All(line => TextWrapping.Cut(line, layout.Width) == line));
        foreach (var line in fitting ?? [])
            Line(line);
        Line();
    }

    /// <summary>Adds a table without the columns that do not fit, and returns the part of the table that is shown.</summary>
    public TextTable Table(TextTable table)
    {
        foreach (var line in table.Lines(layout.Width))
            Line(line);
        return layout.Width is { } width ? table.Fit(width) : table;
    }

    public override string ToString() => text.ToString();
}
