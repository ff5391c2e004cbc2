using IpcBench.Client.Protocols;

namespace IpcBench.Client.Plan;

/// <summary>A typical load: the number of connections, the number of concurrent calls on each, and the client.</summary>
/// <param name="Name">The name for <c>--shape</c>.</param>
/// <param name="Topology">The numbers of connections and streams.</param>
/// <param name="Client">The client. Null means the clients of <c>--client</c> or, without this option, the client wire.</param>
internal sealed record Shape(string Name, Topology Topology, string? Client = null)
{
    /// <summary>One call at a time.</summary>
    public static Shape One { get; } = new("one", new(1, 1));

    /// <summary>The channel of an application: few connections with many calls each.</summary>
    public static Shape Channel { get; } = new("channel", new(5, 80));

    /// <summary>Many clients with one connection each.</summary>
    public static Shape Clients { get; } = new("clients", new(400, 1));

    /// <summary>The channel of an application with Grpc.Net.Client, which most .NET applications use.</summary>
    public static Shape App { get; } = new("app", new(5, 80), ProtocolTable.GrpcDotnet);

    /// <summary>All shapes, in the order of reports.</summary>
    public static IReadOnlyList<Shape> All { get; } = [One, Channel, Clients, App];

    /// <summary>
    /// True when the named pipe is measured in this shape. On Linux a pipe is a Unix socket behind .NET's pipe API, and one shape is
    /// enough to show the cost of that API.
    /// </summary>
    public bool HasPipe => this == Clients || OperatingSystem.IsWindows();
}
