using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Plots;

/// <summary>One picture. Its cells are of all series, and their workloads differ only in the value on the horizontal axis.</summary>
internal sealed record Facet(string Title, string AxisTitle,
    IReadOnlyList<(Series Series, IReadOnlyList<(double X, MeasuredCell Cell)> Points)> Lines)
{
    private const string PayloadSize = "payload size", RequestSize = "request size";

    public IEnumerable<(double X, MeasuredCell Cell)> All => Lines.SelectMany(line => line.Points);

    /// <summary>Returns the label of a value on the axis.</summary>
    public string XLabel(double x) => AxisTitle is PayloadSize or RequestSize ? Quantity.Size((long)x) : Quantity.Count(x);

    /// <summary>Makes the pictures. The horizontal axis is the size, unless all sizes are equal and connections or streams vary.</summary>
    public static List<Facet> Split(IReadOnlyList<Series> series)
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
            parts.Add(rest.ServerWork.Length > 0 ? $"work {rest.ServerWork}" : "no work");
        return string.Join(", ", parts);
    }
}
