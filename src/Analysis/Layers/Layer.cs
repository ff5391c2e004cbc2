namespace IpcBench.Analysis.Layers;

/// <summary>A layer between the wire and gRPC. The cell of a layer uses this layer and everything below it.</summary>
/// <param name="Protocol">The protocol of the layer's cell: see <see cref="Results.CellKey.Protocol"/>.</param>
/// <param name="Sockets">What the variant of the layer's cell has in addition to the variant of the gRPC cell.</param>
public sealed record Layer(string Name, string Short, string Protocol, string Sockets = "")
{
    /// <summary>The layers from the wire up. A run need not have all of them.</summary>
    public static IReadOnlyList<Layer> All { get; } =
    [
        new("the kernel", "kernel", "echo", "sockets=loop"),
        new(".NET's sockets", ".NET sockets", "echo", "sockets=bare"),
        new("Kestrel's connection", "Kestrel", "echo"),
        new("HTTP/2", "HTTP/2", "http2"),
        new("gRPC", "gRPC", "grpc"),
    ];
}
