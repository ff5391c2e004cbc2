using IpcBench.Client.Cli;
using IpcBench.Client.Protocols;

namespace IpcBench.Client.Experiments.Layers;

/// <summary><c>layers</c>: shows what each layer adds to a call.</summary>
internal static class LayersExperiment
{
    /// <summary>
    /// Raw echo, bare HTTP/2 and gRPC on the same transports in one interleaved run. The difference between two of
    /// these measurements is the cost of a layer.
    /// </summary>
    public static Preset Preset { get; } = Preset.OneLoad with
    {
        Name = "layers",
        Description = "Measures what each layer adds to the time of a call: kernel, .NET's sockets, Kestrel's connection, HTTP/2 and gRPC, "
            + "on each transport. About 16 minutes; with --quick 4.",
        Examples = """
            Examples:
              GrpcBench layers --quick                    TCP, Unix socket and pipe, 10 B and 10 kB
              GrpcBench layers --transports tcp,tls,unix  what encryption adds, and to which layer
              GrpcBench layers --transports unix,stdio,shm --wait futex  how much of a call shared memory can save
              GrpcBench layers --client-cpus 0 --server-cpus 0  computing time alone, without wake-ups of another CPU
              GrpcBench report results/….json --plot layers --format svg -o layers.svg

            """,
        Protocols = [ProtocolTable.Echo, ProtocolTable.Http2, ProtocolTable.Grpc],
        EchoSockets = ["bare", "loop"],
        Sizes = new("10,10k"),
        Connections = new("1"),
        QuickTime = "five minutes",
        // The command offers only one client, only closed loops, and only servers that this tool starts, since the layers must be
        // parts of the same calls on the same endpoints.
        NotOffered =
        [
            .. Preset.CallOptions, .. Preset.LoadOptions, .. Preset.GivenServerOptions,
            "-n", "--client", "--crank", "--sockets", "--client-sockets", "--work",
        ],
        Words = new Dictionary<string, string> { ["-s"] = "payload sizes", ["-c"] = "connections", ["-d"] = "measured time of one cell" },
    };
}
