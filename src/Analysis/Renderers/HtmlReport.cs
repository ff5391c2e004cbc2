using System.Globalization;
using System.Text;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Doubts;
using IpcBench.Analysis.Plots;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Plots.SvgText;

namespace IpcBench.Analysis.Renderers;

/// <summary>
/// A page that works offline: failures, the answer, pictures with their numbers, doubts and the environment. The only
/// script of the page sorts tables.
/// </summary>
public sealed class HtmlReport : IReport
{
    private const int ShortList = 9;
    private static readonly string[] Failures = ["failures", "incomplete", "aa-failed"];

    public string Format => "html";

    public string Make(ReportModel model)
    {
        var text = new StringBuilder();
        var title = Escape(PageTitle.For(model));
        text.Line("<!doctype html>").Line("<html lang=\"en\">").Line("<head>").Line("<meta charset=\"utf-8\">")
            .Line("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">").Line($"<title>{title}</title>")
            .Append("<style>\n").Append(StyleSheets.Plots).Append(StyleSheets.Page).Line("</style>").Line("</head>")
            .Line("<body>");
        text.Line("<header>").Line($"<h1>{title}</h1>");
        // Each kind of section is appended for all files before the next kind, so that the reader can compare machines.
        var documents = model.Files.Select(file => new Document(file)).ToList();
        void Each(Action<Document> append) => documents.ForEach(append);
        string Of(Document document) => model.Files.Count > 1 ? $": {Escape(document.Name)}" : "";
        Each(document => AppendSubtitle(text, document, model.Files.Count > 1));
        text.Line("</header>").Line("<main>");
        Each(document => AppendFailures(text, document, Of(document)));
        Each(document => AppendAnswer(text, document, Of(document)));
        foreach (var plot in PlotList.OfPage(model))
            AppendPlot(text, plot, model);
        Each(document => AppendBlocks(text, document.Method with { Title = "How ratios were estimated" }, Of(document)));
        Each(document => AppendBlocks(text, document.AtGivenLoad, Of(document)));
        Each(document => AppendBlocks(text, document.HighestRate, Of(document)));
        Each(document => AppendBlocks(text, document.WakeUps, Of(document)));
        Each(document => AppendBlocks(text, document.Profile, Of(document)));
        Each(document => AppendBlocks(text, document.Connections with { Title = "Connections by state" }, Of(document)));
        Each(document => AppendBlocks(text, document.Published, Of(document)));
        Each(document => AppendDoubts(text, document, Of(document)));
        Each(document => AppendEnvironment(text, document, Of(document)));
        text.Line("</main>").Line($"<footer>Made by GrpcBench from {(model.Files.Count == 1 ? "one results file" : "results files")} "
            + $"with every round; nothing on this page is edited by hand.</footer>");
        text.Append("<script>\n").Append(StyleSheets.Script).Line("</script>");
        return text.Line("</body>").Line("</html>").ToString();
    }

    private static void AppendSubtitle(StringBuilder text, Document document, bool named)
    {
        if (document.Name.Length > 0 && document.Name != document.Record.Label)
            text.Line($"<p class=\"name\">{Escape(document.Name)}</p>");
        foreach (var line in document.Header.Blocks.SelectMany(block => block.Sentences).Take(3))
            text.Line($"<p class=\"sub\">{(named ? Escape(document.Name) + ": " : "")}{Escape(line)}</p>");
    }

    private static void AppendAnswer(StringBuilder text, Document document, string suffix)
    {
        var section = document.Answer;
        if (section.IsEmpty)
            return;
        text.Line($"<section class=\"answer\"><h2>{Escape(section.Title)}{suffix}</h2>");
        AppendGrid(text, document.AtAGlance);
        foreach (var block in section.Blocks.Where(block => block.Caption.Length > 0))
        {
            if (block.Note.Length > 0)
                text.Line($"<p><b>{Prose(block.Note)}</b></p>");
            if (block.Table is { } table)
                AppendTable(text, table, block.Caption);
            foreach (var (_, words) in block.Columns)
                text.Line($"<p class=\"sub\">{Prose(words)}</p>");
        }
        var sentences = section.Blocks.SelectMany(block => block.Sentences).ToList();
        if (sentences.Count > ShortList && sentences.TrueForAll(sentence => sentence.Contains(": ", StringComparison.Ordinal)))
            AppendTable(text, AsTable(sentences), section.Title);
        else
            text.Line($"<ul>{string.Concat(sentences.Select(sentence => $"<li>{Prose(sentence)}</li>"))}</ul>");
        text.Line("</section>");
    }

    /// <summary>
    /// Appends a table with a coloured cell for each shape of the load and each size. The text of a cell says the same as its colour.
    /// </summary>
    private static void AppendGrid(StringBuilder text, VerdictGrid? grid)
    {
        if (grid is null)
            return;
        text.Line($"<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{Escape(grid.Title)}\"><table class=\"grid\">"
            + $"<caption>{Prose(grid.Title)}</caption><thead><tr><td></td>");
        foreach (var work in grid.Works)
            text.Put($"<th scope=\"col\">{Escape(work)}</th>");
        text.Line("</tr></thead><tbody>");
        foreach (var (shape, cells) in grid.Rows)
        {
            text.Put($"<tr><th scope=\"row\" class=\"w\">{Escape(shape)}</th>");
            foreach (var cell in cells)
                text.Put($"<td class=\"{cell?.Css}\">{Prose(cell?.Text ?? "")}{(cell is { Doubt.Length: > 0 }
                    ? $"<small>{Escape(cell.Doubt)}</small>" : "")}</td>");
            text.Line("</tr>");
        }
        text.Line("</tbody></table></div>");
    }

    /// <summary>Makes a table of two columns: the text before the first colon of each sentence, and the text after it.</summary>
    private static TextTable AsTable(IEnumerable<string> sentences)
    {
        var table = new TextTable("what", "answer") { Words = 2 };
        foreach (var sentence in sentences)
            table.Add(sentence.Split(": ", 2));
        return table;
    }

    /// <summary>Appends the failures of the run, which come first on the page.</summary>
    private static void AppendFailures(StringBuilder text, Document document, string suffix)
    {
        var failures = document.Doubts.Blocks.SelectMany(block => block.Doubts)
            .Where(doubt => Failures.Contains(doubt.Id)).Select(AdviceText.Both).ToList();
        if (failures.Count > 0)
            text.Line($"<section class=\"failed\"><h2>This run failed in part{suffix}</h2>")
                .Line($"<ul>{string.Concat(failures.Select(failure => $"<li>{Prose(failure)}</li>"))}</ul></section>");
    }

    private static void AppendPlot(StringBuilder text, Plot plot, ReportModel model)
    {
        var place = plot.IsMain ? " class=\"main\"" : plot.Panels.Count == 1 ? " class=\"half\"" : "";
        text.Line($"<section{place}>").Line($"<h2>{Escape(plot.Title)}</h2>")
            .Line($"<p class=\"cap\">{Escape(plot.Caption)}</p>").Line("<div class=\"panels\">");
        foreach (var panel in plot.Panels)
        {
            var words = string.Join(": ", new[] { panel.Title, panel.Description }.Where(part => part.Length > 0));
            text.Line($"<figure>{(panel.Title.Length > 0 ? $"<figcaption>{Escape(panel.Title)}</figcaption>" : "")}<svg viewBox=\"0 0 "
                + $"{N(panel.Width)} {N(panel.Height)}\" role=\"img\" aria-label=\"{Escape(words)}; the numbers are in the table below\">")
                .Append(panel.Marks).Line("</svg></figure>");
        }
        text.Line("</div>").Line("<details><summary>The numbers</summary>");
        foreach (var (file, table) in model.Files.Zip(plot.Numbers))
        {
            if (model.Files.Count > 1)
                text.Line($"<h3>{Escape(file.Name)}</h3>");
            AppendTable(text, table, plot.Title);
        }
        text.Line("</details></section>");
    }

    private static void AppendBlocks(StringBuilder text, Section section, string suffix)
    {
        if (section.IsEmpty)
            return;
        text.Line($"<section><h2>{Escape(section.Title)}{suffix}</h2>");
        foreach (var block in section.Blocks)
        {
            if (block.Caption.Length > 0)
                text.Line($"<p class=\"cap\">{Escape(block.Caption)}</p>");
            if (block.Table is { IsEmpty: false } table)
                AppendTable(text, table, section.Blocks.Count > 1 && block.Caption.Length > 0 ? block.Caption : section.Title);
            if (block.WholeNote is { Length: > 0 } note)
                text.Line($"<p class=\"cap\">{Escape(note)}</p>");
            if (block.Sentences.Count > 0)
                text.Line($"<ul>{string.Concat(block.Sentences.Select(sentence => $"<li>{Prose(sentence)}</li>"))}</ul>");
        }
        text.Line("</section>");
    }

    private static void AppendTable(StringBuilder text, TextTable table, string name)
    {
        text.Line($"<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{Escape(name)}\"><table>"
            + $"<caption>{Escape(name)}</caption><thead><tr>");
        foreach (var (i, heading) in table.Headings.Index())
            text.Put($"<th scope=\"col\" class=\"s{(table.IsWords(i) ? " w" : "")}\">{Escape(heading.Trim())}</th>");
        text.Line("</tr></thead><tbody>");
        var before = "";
        foreach (var row in table.Rows)
        {
            text.Append(row[0] == before || before.Length == 0 ? "<tr>" : "<tr class=\"new\">");
            foreach (var (i, cell) in row.Index())
            {
                text.Append(i == 0 ? $"<th scope=\"row\"{Words(table, i)}>{Escape(cell)}</th>"
                    : $"<td{Words(table, i)}>{Escape(cell)}</td>");
            }
            text.Line("</tr>");
            before = row[0];
        }
        text.Line("</tbody></table></div>");
    }

    /// <summary>Writes a sentence whose numbers stay on one line with their units.</summary>
    private static string Prose(string sentence) =>
        string.Join(' ', TextWrapping.Words(sentence).Select(word => Escape(word).Replace(' ', '\u00A0')));

    private static string Words(TextTable table, int column) => table.IsWords(column) ? " class=\"w\"" : "";

    private static void AppendDoubts(StringBuilder text, Document document, string suffix)
    {
        var section = document.Doubts;
        text.Line($"<section><h2>{Escape(section.Title)}{suffix}</h2>");
        if (section.IsEmpty)
            text.Line("<p class=\"cap\">None raised.</p>");
        text.Line("<ul class=\"doubts\">");
        foreach (var doubt in section.Blocks.SelectMany(block => block.Doubts))
        {
            text.Put($"<li>{Prose(AdviceText.Doubt(doubt))} <span class=\"fix\">{Escape(AdviceText.Fix(doubt))}</span> ");
            text.Line($"<code>{Escape(doubt.Id)}</code></li>");
        }
        text.Line("</ul></section>");
    }

    private static void AppendEnvironment(StringBuilder text, Document document, string suffix)
    {
        var run = document.Record;
        text.Line($"<section><h2>Environment{suffix}</h2>").Line("<dl>");
        foreach (var (name, value) in document.Environment)
            text.Line($"<dt>{Escape(name)}</dt><dd>{Escape(value)}</dd>");
        var started = run.Started.UtcDateTime.ToString("yyyy-MM-dd HH:mm:ss", CultureInfo.InvariantCulture);
        text.Line($"<dt>started</dt><dd>{started} UTC, {Escape(run.Ending)}</dd>");
        text.Line($"<dt>command</dt><dd><code>{Escape(document.Command)}</code></dd>").Line("</dl></section>");
    }
}
