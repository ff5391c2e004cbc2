using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Plots;

/// <summary>What shares a picture: the cells of all series that differ only along the horizontal axis.</summary>
internal sealed record Facet(string Title, string AxisTitle,
    IReadOnlyList<(Series Series, IReadOnlyList<(double X, MeasuredCell Cell)> Points)> Lines)
{
    private const string PayloadSize = "payload size", RequestSize = "request size";

    public IEnumerable<(double X, MeasuredCell Cell)> All => Lines.SelectMany(line => line.Points);

    /// <summary>Labels of the axis, by value.</summary>
    public string XLabel(double x) => AxisTitle is PayloadSize or RequestSize ? Quantity.Size((long)x) : Quantity.Count(x);

    /// <summary>Along the size where it varies, else along connections or streams.</summary>
    public static List<Facet> Of(IReadOnlyList<Series> series)
    {
        var points = series.SelectMany(s => s.Cells).Select(cell => cell.Point).Distinct().ToList();
        var (axis, value) = Axis(points);
        Point Rest(Point point) => axis switch
        {
            "connections" => point with { Connections = 0 },
            "streams of a connection" => point with { Streams = 0 },
            _ => point with { Size = 0 },
        };
        return [.. points.Select(Rest).Distinct()
            .Select(rest => new Facet(TitleOf(rest, points), axis,
            [.. series.Select(s => (s, Line(s, rest))).Where(line => line.Item2.Count > 0)]))];

        IReadOnlyList<(double, MeasuredCell)> Line(Series s, Point rest) =>
            [.. s.Cells.Where(cell => Rest(cell.Point) == rest).Select(cell => (value(cell.Point), cell)).OrderBy(entry => entry.Item1)];
    }

    private static (string, Func<Point, double>) Axis(List<Point> points)
    {
        if (points.Select(p => p.Size).Distinct().Count() > 1)
            return (PayloadSize, p => Math.Max(1, p.Size));
        if (points.Select(p => p.Connections).Distinct().Count() > 1)
            return ("connections", p => p.Connections);
        return points.Select(p => p.Streams).Distinct().Count() > 1 ? ("streams of a connection", p => p.Streams)
            : (points is [{ Method.Length: > 0 }, ..] ? RequestSize : PayloadSize, p => Math.Max(1, p.Size));
    }

    private static string TitleOf(Point rest, List<Point> points)
    {
        var parts = new List<string>();
        if (rest.Size > 0 && points.Select(p => p.Size).Distinct().Count() > 1)
            parts.Add(Quantity.Size(rest.Size));
        if (rest.Connections > 0 && points.Select(p => p.Connections).Distinct().Count() > 1)
            parts.Add(Invariant($"{rest.Connections} connections"));
        if (rest.Streams > 0 && points.Select(p => p.Streams).Distinct().Count() > 1)
            parts.Add(Invariant($"{rest.Streams} streams"));
        if (points.Select(p => p.Load).Distinct().Count() > 1)
            parts.Add(rest.Load == "max" ? "full load" : $"load {rest.Load}");
        return string.Join(", ", parts);
    }
}
