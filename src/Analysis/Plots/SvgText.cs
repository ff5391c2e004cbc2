using System.Globalization;
using System.Net;
using System.Text;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Plots;

/// <summary>SVG elements, placed in pixels from the top left. Style sheets set the colours by class.</summary>
internal sealed class SvgText
{
    private readonly StringBuilder text = new();

    public void Line(double x1, double y1, double x2, double y2, string css) =>
        Add($"<line class=\"{css}\" x1=\"{N(x1)}\" y1=\"{N(y1)}\" x2=\"{N(x2)}\" y2=\"{N(y2)}\"/>");

    public void Rectangle(double x, double y, double width, double height, string css, string hint = "") =>
        Add($"<rect class=\"{css}\" x=\"{N(x)}\" y=\"{N(y)}\" width=\"{N(Math.Max(0, width))}\" height=\"{N(height)}\"{End("rect", hint)}");

    public void Path(IEnumerable<(double X, double Y)> points, string css) =>
        Add($"<polyline class=\"{css}\" points=\"{string.Join(' ', points.Select(p => $"{N(p.X)},{N(p.Y)}"))}\"/>");

    /// <summary>Draws a label. The anchor is start, middle or end.</summary>
    public void Label(double x, double y, string label, string anchor = "start", string css = "t") =>
        Add($"<text class=\"{css}\" x=\"{N(x)}\" y=\"{N(y)}\" text-anchor=\"{anchor}\">{Escape(label)}</text>");

    /// <summary>Draws a mark whose shape distinguishes series of the same colour.</summary>
    public void Mark(double x, double y, int shape, string css, string hint = "", double r = 4) => Add((shape % 4) switch
    {
        0 => $"<circle class=\"{css}\" cx=\"{N(x)}\" cy=\"{N(y)}\" r=\"{N(r)}\"{End("circle", hint)}",
        1 => Polygon(css, hint, (x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)),
        2 => Polygon(css, hint, (x, y - r * 1.2), (x + r * 1.15, y + r * 0.9), (x - r * 1.15, y + r * 0.9)),
        _ => Polygon(css, hint, (x, y - r * 1.3), (x + r * 1.3, y), (x, y + r * 1.3), (x - r * 1.3, y)),
    });

    public override string ToString() => text.ToString();

    internal static string Escape(string value) => WebUtility.HtmlEncode(PrintableText.Of(value));

    internal static string N(double value) => Math.Round(value, 1).ToString("0.#", CultureInfo.InvariantCulture);

    private static string Polygon(string css, string hint, params (double X, double Y)[] points) =>
        $"<polygon class=\"{css}\" points=\"{string.Join(' ', points.Select(p => $"{N(p.X)},{N(p.Y)}"))}\"{End("polygon", hint)}";

    /// <summary>Returns the end of an element, with a tooltip.</summary>
    private static string End(string element, string hint) => hint.Length == 0 ? "/>" : $"><title>{Escape(hint)}</title></{element}>";

    private void Add(string element) => text.Append(element).Append('\n');
}
