using IpcBench.Client.Protocols;

namespace IpcBench.Client.Plan;

/// <summary>A load as people know it: how many connections, how many concurrent calls on each, and by which client.</summary>
/// <param name="Name">What <c>--shape</c> calls it.</param>
/// <param name="Topology">Its connections and streams.</param>
/// <param name="Client">The client that makes the calls; null: those of <c>--client</c>, else the wire client.</param>
internal sealed record Shape(string Name, Topology Topology, string? Client = null)
{
    /// <summary>One call at a time.</summary>
    public static Shape One { get; } = new("one", new(1, 1));

    /// <summary>An application's channel: few connections with many calls each.</summary>
    public static Shape Channel { get; } = new("channel", new(5, 80));

    /// <summary>Many clients with a connection each.</summary>
    public static Shape Clients { get; } = new("clients", new(400, 1));

    /// <summary>An application's channel by the client that most .NET applications run.</summary>
    public static Shape App { get; } = new("app", new(5, 80), ProtocolTable.GrpcDotnet);

    /// <summary>In the order of reports.</summary>
    public static IReadOnlyList<Shape> All { get; } = [One, Channel, Clients, App];

    /// <summary>
    /// Whether the named pipe is measured in this shape. On Linux a pipe is a Unix socket behind .NET's pipe API, so that one shape is
    /// enough to show what that API costs.
    /// </summary>
    public bool HasPipe => this == Clients || OperatingSystem.IsWindows();
}

/// <summary>Cells that a plan measures alike: each size on each transport by each client, with so many connections and streams.</summary>
/// <param name="Topology">Connections and streams.</param>
/// <param name="Sizes">Bytes of a reply.</param>
/// <param name="Clients">Client implementations, each an arm.</param>
/// <param name="HasPipe">False leaves out the named pipe.</param>
internal sealed record CellSet(
    Topology Topology, IReadOnlyList<long> Sizes, IReadOnlyList<string> Clients, bool HasPipe = true);
