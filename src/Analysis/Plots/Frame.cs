namespace IpcBench.Analysis.Plots;

/// <summary>The common parts of a plot: legend, grid and labelled axes.</summary>
internal sealed class Frame
{
    public const double Width = 480;
    private const double NameLetter = 7.2;
    private const int MostLetters = 42;
    private const double Left = 62;
    private const double Right = 14;
    private const double LegendLine = 20;
    private const double Letter = 7.1;

    public Frame(double plotHeight, IReadOnlyList<Series> legend, double width = Width)
    {
        Wide = width;
        Top = 12 + DrawLegend(legend);
        Bottom = Top + plotHeight;
    }

    public SvgText Marks { get; } = new();

    public double Top { get; }

    public double Bottom { get; }

    public static double LeftEdge => Left;

    public double RightEdge => Wide - Right;

    private double Wide { get; }

    public double Height => Bottom + 44;

    /// <summary>Returns where the bars begin beside a column of these names.</summary>
    public static double BesideNames(IEnumerable<string> names) => 12 + names.Max(name => ShortName(name).Length) * NameLetter;

    /// <summary>
    /// Returns the end of a long name, so that the bars have room beside the name. Names of arms begin with the file, and differ at
    /// their end.
    /// </summary>
    public static string ShortName(string name) => name.Length <= MostLetters ? name : "…" + name[^(MostLetters - 1)..];

    /// <summary>Draws horizontal grid lines with their values.</summary>
    public void YAxis(Scale scale, Func<double, string> show)
    {
        foreach (var tick in scale.Ticks())
        {
            Marks.Line(Left, scale[tick], RightEdge, scale[tick], "g");
            Marks.Label(Left - 8, scale[tick] + 4, show(tick), "end", "s");
        }
    }

    /// <summary>Draws labels below the axis. A label that would overlap the previous label is left out.</summary>
    public void XAxis(IEnumerable<(double X, string Label)> labels, string title)
    {
        Marks.Line(Left, Bottom, RightEdge, Bottom, "a");
        var free = 0.0;
        foreach (var (x, label) in labels)
        {
            Marks.Line(x, Bottom, x, Bottom + 4, "a");
            var half = label.Length * Letter / 2;
            if (x - half < free)
                continue;
            Marks.Label(x, Bottom + 18, label, "middle", "s");
            free = x + half + 4;
        }
        Marks.Label((Left + RightEdge) / 2, Bottom + 37, title, "middle", "s");
    }

    public Panel ToPanel(string title, string description) => new(title, description, Wide, Height, Marks.ToString());

    private double DrawLegend(IReadOnlyList<Series> legend)
    {
        var (x, y) = (Left, 14.0);
        foreach (var series in legend)
        {
            var width = 34 + series.Name.Length * Letter;
            if (x > Left && x + width > Wide)
                (x, y) = (Left, y + LegendLine);
            Marks.Line(x, y, x + 20, y, series.LineCss);
            Marks.Mark(x + 10, y, series.Shape, series.MarkCss);
            Marks.Label(x + 26, y + 4, series.Name);
            x += width + 8;
        }
        return legend.Count == 0 ? 0 : y + 4;
    }
}
