using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Plots;

/// <summary>All plots in the order of a report. A new plot needs one line here.</summary>
public static class PlotList
{
    // Plots for special kinds of runs come first.
    private static readonly IPlot[] All =
    [
        new LayersPlot(), new ObjectivePlot(), new RatioPlot(), new ThroughputPlot(), new CpuPlot(), new SpectrumPlot(),
        new RoundTripPlot(isNormalised: false), new RoundTripPlot(isNormalised: true),
    ];

    public static IReadOnlyList<string> Names { get; } = [.. All.Select(plot => plot.Name)];

    /// <summary>Returns the name of the plot that was asked for. Null when there is no such plot.</summary>
    /// <param name="asked">A name, or <c>promise</c>, which scripts may still use for <c>objective</c>.</param>
    public static string? NameOf(string asked) => asked == "promise" ? "objective" : Names.Contains(asked) ? asked : null;

    /// <summary>Draws the plots that have something to show.</summary>
    internal static IEnumerable<Plot> Of(ReportModel model) => All.Select(plot => plot.Of(model)).OfType<Plot>();

    /// <summary>
    /// Draws the plots for a page. A throughput or CPU plot with only one bar is left out, because a table of the page
    /// has its number.
    /// </summary>
    internal static IEnumerable<Plot> OfPage(ReportModel model) =>
        Of(model).Where(plot => plot.Name is not ("throughput" or "cpu") || plot.Numbers.Sum(table => table.Rows.Count) > 1);
}

/// <summary>Draws one plot.</summary>
internal interface IPlot
{
    /// <summary>The name for <c>--plot</c>.</summary>
    string Name { get; }

    /// <summary>Draws the plot. Null when there is nothing to draw.</summary>
    Plot? Of(ReportModel model);
}

/// <summary>Pictures that answer a question, with the numbers behind them.</summary>
/// <param name="Name">The name for <c>--plot</c>.</param>
/// <param name="IsMain">Whether the plot answers the main question and is drawn large.</param>
internal sealed record Plot(
    string Name, string Title, string Caption, IReadOnlyList<Panel> Panels, IReadOnlyList<TextTable> Numbers, bool IsMain = false)
{
    /// <summary>What a reader must know even where the picture stands without its caption. Empty for most plots.</summary>
    public string Note { get; init; } = "";
}

/// <summary>A picture: its marks, and a description for readers who do not see it.</summary>
internal sealed record Panel(string Title, string Description, double Width, double Height, string Marks);

/// <summary>An arm of a file. The colour stands for the arm, fill and dashes stand for the file.</summary>
/// <param name="Colour">Class of the colour, the same for the arm in all files.</param>
/// <param name="Name">The name in legends.</param>
internal sealed record Series(int File, int Colour, string Name, MeasuredRun Run, IReadOnlyList<MeasuredCell> Cells)
{
    /// <summary>Number of colour classes in the style sheet.</summary>
    public const int Colours = 12;

    private static readonly string[] Reserved = ["tcp", "unix", "pipe", "tls"];

    /// <summary>The shape of the marks, which distinguishes arms of the same colour when there are more arms than colours.</summary>
    public int Shape => Colour + Colour / Colours;

    public string BarCss => $"f c{Colour % Colours}{(File > 0 ? " o" : "")}";

    public string LineCss => $"l c{Colour % Colours}{(File > 0 ? " d" : "")}";

    public string MarkCss => $"{(File > 0 ? "h" : "m")} c{Colour % Colours}";

    /// <summary>Lists all arms of all files, without the second endpoint of an A/A test.</summary>
    public static List<Series> Of(ReportModel model)
    {
        var arms = model.Files.SelectMany(file => file.Run.Cells).Where(cell => cell.Median is not null && !AaTest.IsAa(cell.Key))
            .Select(cell => cell.Key.Arm).Distinct().ToList();
        // An arm that is the only one of its transport gets the colour of the transport.
        var keys = model.Files.SelectMany(file => file.Run.Cells).Select(cell => cell.Key).Where(key => arms.Contains(key.Arm)).ToList();
        var alone = keys.GroupBy(key => key.Transport).Where(of => of.Select(key => key.Arm).Distinct().Count() == 1)
            .ToDictionary(of => of.First().Arm, of => of.Key);
        int KnownOf(string arm) => Array.IndexOf(Reserved, alone.GetValueOrDefault(arm, arm));
        var others = arms.Where(arm => KnownOf(arm) < 0).ToList();
        // The colours of transports that the report does not have are free, and are used last.
        List<int> free = [.. Enumerable.Range(Reserved.Length, Colours - Reserved.Length),
            .. Enumerable.Range(0, Reserved.Length).Where(colour => !arms.Exists(arm => KnownOf(arm) == colour))];
        int ColourOf(int other) => free[other % free.Count] + Colours * (other / free.Count);
        var all = from file in model.Files.Index()
                  from arm in arms
                  let cells = file.Item.Run.Cells.Where(cell => cell.Median is not null && cell.Key.Arm == arm).ToList()
                  where cells.Count > 0
                  let known = KnownOf(arm)
                  select new Series(file.Index, known >= 0 ? known : ColourOf(others.IndexOf(arm)), model.Files.Count > 1
                      ? $"{file.Item.Name}: {arm}" : arm, file.Item.Run, cells);
        return [.. all];
    }
}

/// <summary>One picture: all series, with those of their cells that differ only in the value on the horizontal axis.</summary>
internal sealed record Facet(string Title, string AxisTitle,
    IReadOnlyList<(Series Series, IReadOnlyList<(double X, MeasuredCell Cell)> Points)> Lines)
{
    private const string PayloadSize = "payload size", RequestSize = "request size";

    public IEnumerable<(double X, MeasuredCell Cell)> All => Lines.SelectMany(line => line.Points);

    /// <summary>Returns the label of a value on the axis.</summary>
    public string XLabel(double x) => AxisTitle is PayloadSize or RequestSize ? Quantity.Size((long)x) : Quantity.Count(x);

    /// <summary>Makes the pictures. Their axis is the size if the size varies, otherwise connections or streams.</summary>
    public static List<Facet> Of(IReadOnlyList<Series> series)
    {
        var points = series.SelectMany(s => s.Cells).Select(cell => cell.Workload).Distinct().ToList();
        var (axis, value) = Axis(points);
        Workload Rest(Workload point) => axis switch
        {
            "connections" => point with { Connections = 0 },
            "streams of a connection" => point with { Streams = 0 },
            _ => point with { Size = 0 },
        };
        return [.. points.Select(Rest).Distinct()
            .Select(rest => new Facet(TitleOf(rest, points), axis,
            [.. series.Select(s => (s, Line(s, rest))).Where(line => line.Item2.Count > 0)]))];

        IReadOnlyList<(double, MeasuredCell)> Line(Series s, Workload rest) =>
            [.. s.Cells.Where(cell => Rest(cell.Workload) == rest).Select(cell => (value(cell.Workload), cell))
                .OrderBy(entry => entry.Item1)];
    }

    private static (string, Func<Workload, double>) Axis(List<Workload> points)
    {
        if (points.Select(p => p.Size).Distinct().Count() > 1)
            return (PayloadSize, p => Math.Max(1, p.Size));
        if (points.Select(p => p.Connections).Distinct().Count() > 1)
            return ("connections", p => p.Connections);
        return points.Select(p => p.Streams).Distinct().Count() > 1 ? ("streams of a connection", p => p.Streams)
            : (points is [{ Method.Length: > 0 }, ..] ? RequestSize : PayloadSize, p => Math.Max(1, p.Size));
    }

    private static string TitleOf(Workload rest, List<Workload> points)
    {
        var parts = new List<string>();
        if (rest.Size > 0 && points.Select(p => p.Size).Distinct().Count() > 1)
            parts.Add(Quantity.Size(rest.Size));
        if (rest is { Connections: > 0, Streams: > 0 } && points.Select(p => (p.Connections, p.Streams)).Distinct().Count() > 1)
            parts.Add(Arms.Shape(rest.Connections, rest.Streams));
        else if (rest.Connections > 0 && points.Select(p => p.Connections).Distinct().Count() > 1)
            parts.Add(Quantity.Many(rest.Connections, "connection"));
        else if (rest.Streams > 0 && points.Select(p => p.Streams).Distinct().Count() > 1)
            parts.Add(Quantity.Many(rest.Streams, "stream"));
        if (points.Select(p => p.Load).Distinct().Count() > 1)
            parts.Add(rest.IsFullLoad ? "full load" : $"load {rest.Load}");
        if (points.Select(p => p.ServerWork).Distinct().Count() > 1)
            parts.Add($"work {rest.ServerWork}");
        return string.Join(", ", parts);
    }
}
