using IpcBench.Client.Cli;
using IpcBench.Client.Protocols;

namespace IpcBench.Client.Experiments.Echo;

/// <summary><c>echo</c>: measures round trips without a protocol.</summary>
internal static class EchoExperiment
{
    private const string Published2014 = "15 sizes, 100,000 packets each, 11 rounds (15 minutes on one CPU, up to an hour on two)";

    /// <summary>
    /// Packets go to the server and back with no protocol at all, as in a comparison that was published in 2014.
    /// </summary>
    public static Preset Preset { get; } = Preset.OneLoad with
    {
        Name = "echo",
        Description = "Ping-pong of bytes without a protocol: every packet is echoed and checked. The report has the time of a round trip "
            + "and the ratio to TCP.",
        Examples = $"""
            Examples:
              GrpcBench echo                              the measurement published in 2014: {Published2014}
              GrpcBench echo --quick                      a first answer
              GrpcBench echo --quick --sockets dotnet,loop  what .NET's sockets add to a round trip
              GrpcBench echo -s 64 -c 1,64 -m 1,16        several packets in flight on a connection
              GrpcBench echo -U tcp://127.0.0.1:7 -n 10k  an echo server of your own
              GrpcBench echo --quick -U stdio:cat         a program of your own, on its standard input and output
              GrpcBench echo --format wide-csv            transport, size and milliseconds of every run

            """,
        Protocols = [ProtocolTable.Echo],
        Sizes = new(string.Join(',', Enumerable.Range(0, 15).Select(power => 1 << power)), Quick: "1,64,1024,16384"),
        Connections = new("1"),
        Calls = new("100k", Quick: "10k"),
        Rounds = new("11", Quick: "9"),
        QuickTime = "two minutes",
        Warmup = new("200ms"),
        Fewer = (10_000, "50ms"),
        // Settings of gRPC have no meaning for echoes, and there is only one client.
        NotOffered = [.. Preset.CallOptions,
            "--client", "--crank", "--http2-window", "--server-window", "--client-sockets", "--stack", "--work"],
        Words = new Dictionary<string, string>
        {
            ["-U"] = "echo server to measure, repeatable: tcp://host:port, https://host:port, unix:/path, unix-abstract:name (Linux), "
                + "pipe:/name, 'stdio:COMMAND' (a program that is started); without -U: start a server and compare its transports",
            ["--sockets"] = "sockets of the started server: loop (this project's event loop without Kestrel, default on Linux), "
                + "dotnet (System.Net.Sockets through Kestrel, default elsewhere and for tls) or bare (System.Net.Sockets without "
                + "Kestrel); dotnet,loop: compare both",
            ["-s"] = "bytes of a packet",
            ["-c"] = "connections",
            ["-m"] = "packets in flight on one connection",
            ["-n"] = "packets per measurement",
            ["-d"] = "measured time of a cell instead of a number of packets: 500ms, 20s",
        },
    };
}
