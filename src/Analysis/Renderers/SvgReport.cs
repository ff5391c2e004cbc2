using System.Text;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Plots;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Renderers;

/// <summary>
/// A standalone picture of plots for a README: title, machine and date, then the plots that suit the run, or one plot
/// chosen by name.
/// </summary>
public sealed class SvgReport(string? plot = null) : IReport
{
    private const double Gap = 28;
    private const double Heading = 34;
    private const int NoteColumns = 80; // the number of letters (font size 12 px) that fit into the width of one plot
    private static readonly string[] Overview = ["ratio", "throughput", "cpu", "round-trip", "normalised", "layers", "objective"];

    public string Format => "svg";

    public string Make(ReportModel model)
    {
        var plots = PlotList.Draw(model).Where(p => plot is null ? Overview.Contains(p.Name) : p.Name == plot).ToList();
        if (plots.Count == 0 && plot is not null)
            return "";
        var (body, y) = (new StringBuilder(), 0.0);
        if (plots.Count > 0)
            y = Top(body, model);
        // Two plots with one panel each are drawn side by side.
        for (var i = 0; i < plots.Count; i++)
        {
            var pair = i + 1 < plots.Count && !plots[i].IsMain && plots[i].Panels.Count == 1 && plots[i + 1].Panels.Count == 1;
            var height = Place(body, plots[i], 0, y);
            if (pair)
                height = Math.Max(height, Place(body, plots[++i], Frame.Width + Gap, y));
            y += height;
        }
        var title = SvgText.Escape($"{PageTitle.For(model)}: {string.Join("; ", plots.Select(p => p.Title))}");
        return $"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-12 -4 {SvgText.N(2 * Frame.Width + Gap + 24)} "
            + $"{SvgText.N(Math.Max(y, 40) + 8)}\" width=\"{SvgText.N(2 * Frame.Width + Gap + 24)}\" "
            + $"height=\"{SvgText.N(Math.Max(y, 40) + 8)}\" role=\"img\" aria-label=\"{title}\">\n"
            + $"<style>\n{StyleSheets.Plots}</style>\n<rect x=\"-12\" y=\"-4\" width=\"100%\" height=\"100%\" "
            + $"style=\"fill:var(--card)\"/>\n{body}</svg>\n";
    }

    /// <summary>Draws title, machine and date, because the picture may be shown without its page. Returns the height used.</summary>
    private static double Top(StringBuilder body, ReportModel model)
    {
        var (text, y) = (new SvgText(), 24.0);
        text.Label(0, y, PageTitle.For(model), css: "title");
        foreach (var file in model.Files)
            text.Label(0, y += 20, PageTitle.Below(file), css: "s");
        body.Append(text);
        return y + 22;
    }

    // The main plot is enlarged if it has a single panel. If it has several panels, each is scaled to the usual width.
    private static double ScaleOf(Plot plot, Panel panel) => !plot.IsMain ? 1 : plot.Panels.Count == 1 ? 1.35 : Frame.Width / panel.Width;

    /// <summary>Draws the panels of a plot in two columns under its heading. Returns the height used.</summary>
    private static double Place(StringBuilder body, Plot plot, double x, double y)
    {
        var heading = new SvgText();
        heading.Label(0, 20, plot.Title, css: "head");
        var top = Heading;
        foreach (var line in plot.Note.Length == 0 ? [] : TextWrapping.Lines(plot.Note, NoteColumns))
        {
            heading.Label(0, top + 2, line, css: "s");
            top += 18;
        }
        body.Put($"<g transform=\"translate({SvgText.N(x)} {SvgText.N(y)})\">\n{heading}");
        foreach (var row in plot.Panels.Chunk(2))
        {
            var titled = row.Any(panel => panel.Title.Length > 0) ? 18 : 0;
            foreach (var (column, panel) in row.Index())
            {
                var title = new SvgText();
                title.Label(0, 8, panel.Title);
                body.Put($"<g transform=\"translate({SvgText.N(column * (Frame.Width + Gap))} "
                    + $"{SvgText.N(top)})\">\n{(titled > 0 ? title.ToString() : "")}<g transform=\"translate(0 "
                    + $"{SvgText.N(titled)}){Scaled(ScaleOf(plot, panel))}\">\n{panel.Marks}</g></g>\n");
            }
            top += row.Max(panel => panel.Height * ScaleOf(plot, panel)) + titled + 10;
        }
        body.Append("</g>\n");
        return top + 6;
    }

    private static string Scaled(double scale) =>
        scale == 1 ? "" : $" scale({scale.ToString("0.###", System.Globalization.CultureInfo.InvariantCulture)})";
}
