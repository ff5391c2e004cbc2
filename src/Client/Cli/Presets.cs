using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;

namespace IpcBench.Client.Cli;

/// <summary>The commands that measure: to add one, write its preset here and name it in <see cref="Commands"/>.</summary>
internal static class Presets
{
    private const string Published2014 = "15 sizes, 100,000 packets each, 11 rounds (15 minutes on one CPU, up to an hour on two)";

    /// <summary>gRPC on the transports of one machine; <c>sweep</c> too.</summary>
    public static Preset Main { get; } = new()
    {
        FreshServers = true,
        Shapes =
        [
            (Shape.One, new("10,1M", Quick: "10")),
            (Shape.Channel, new("10,10k", Quick: "10")),
            (Shape.Clients, new("10,100,1k,10k,100k,1M", Quick: "10,1M")),
            (Shape.App, new("10")),
        ],
    };

    /// <summary>HTTP/1.1 against servers that are already there.</summary>
    public static Preset Http { get; } = Main with
    {
        Shapes = [],
        Protocols = [ProtocolTable.Http1],
        Sizes = new("0"), // what there is, a first request will tell
        Duration = new(Main.Duration.Given!),
        Rounds = new(Main.Rounds.Given!),
        Warmup = new(Main.Warmup.Given!),
        NotOffered =
        [
            "-U", "--transports", "-s", "--quick", "--client", "--mode", "--messages", "--chunk", "--aa", "--no-calibration",
            "--server-cpus",
            .. Knob.All.Where(knob => knob.Side == KnobSide.Server || knob.NotOfferedBy.Contains("http")).Select(knob => knob.Option),
        ],
    };

    /// <summary>gRPC as the 2023 article measured it, beside what it meant to measure, in one interleaved run.</summary>
    public static Preset Article { get; } = Main with
    {
        Shapes = [],
        FreshServers = false,
        Name = "article",
        Description = "gRPC as a 2023 article measured it (5 connections of 80 streams, TLS on TCP alone) beside the same in plaintext "
            + "and with 400 connections: which part of its 15 % and 50 % is the transport? About 20 minutes; --quick 4.",
        Transports = new("tcp,tls,unix,pipe", Quick: OperatingSystem.IsWindows() ? null : "tcp,tls,unix"),
        Topologies = [new(5, 80), new(400, 1)], // what the article ran, and what it says it ran
        Sizes = Main.Sizes with { Quick = "10,1M" },
        Duration = Main.Duration with { Given = null },
        Rounds = Main.Rounds with { Given = null },
        Warmup = Main.Warmup with { Given = null },
        QuickTime = "five minutes",
        // Whose server, how many connections and which load the article decides.
        NotOffered = ["-U", "--transports", "-c", "-m", "--mode", "--messages", "--chunk", "-R", "--arrivals", "--load", "--my-rate",
            "--find", "--aa", "--insecure", "--cacert", "--cert", "--key", "--sni", "--crank"],
    };

    /// <summary>Packets out and back with no protocol at all, as the oldest published comparison of local transports has it.</summary>
    public static Preset Echo { get; } = Main with
    {
        Shapes = [],
        FreshServers = false,
        Name = "echo",
        Description = "Ping-pong without any protocol: every packet comes back and is compared. Ends with the time of a round trip and "
            + "its ratio to TCP.",
        Examples = $"""
            Examples:
              GrpcBench echo                              what was published in 2014: {Published2014}
              GrpcBench echo --quick                      a first answer
              GrpcBench echo --quick --sockets dotnet,loop  what .NET's sockets add to it
              GrpcBench echo -s 64 -c 1,64 -m 1,16        more than one packet out at a time
              GrpcBench echo -U tcp://127.0.0.1:7 -n 10k  somebody else's echo
              GrpcBench echo --format wide-csv            transport, size and milliseconds of every run

            """,
        Protocols = [ProtocolTable.Echo],
        Sizes = new(string.Join(',', Enumerable.Range(0, 15).Select(power => 1 << power)), Quick: "1,64,1024,16384"),
        Connections = new("1"),
        Calls = new("100k", Quick: "10k"),
        Rounds = new("11", Quick: "9"),
        Warmup = new("200ms"),
        Fewer = (10_000, "50ms"),
        Calibrate = false,
        // gRPC's own settings mean nothing here, and there is one client.
        NotOffered = ["--client", "--mode", "--messages", "--chunk", "--no-calibration", "--crank"],
        Words = new Dictionary<string, string>
        {
            ["-U"] = "echo server to measure, repeatable: tcp://host:port, https://host:port, unix:/path, unix-abstract:name (Linux), "
                + "pipe:/name; none: start one and compare its transports",
            ["--sockets"] = "sockets of the server it starts: loop (this project's event loop and nothing else, default on Linux), "
                + "dotnet (System.Net.Sockets through Kestrel, default elsewhere and for tls) or bare (without Kestrel); "
                + "dotnet,loop: both, each an arm",
            ["-s"] = "bytes of a packet",
            ["-c"] = "connections",
            ["-m"] = "packets out at a time on one connection",
            ["-n"] = "packets of one measurement",
            ["-d"] = "measured time of one cell instead of a number of packets: 500ms, 20s",
        },
    };

    /// <summary>Raw echo, bare HTTP/2 and gRPC on the same transports in one interleaved run, so that a call can be taken apart.</summary>
    public static Preset Layers { get; } = Main with
    {
        Shapes = [],
        FreshServers = false,
        Name = "layers",
        Description = "Where does the time of a call go? Kernel, .NET's sockets, Kestrel's connection, HTTP/2 and gRPC on each transport, "
            + "and what each adds. About 10 minutes; --quick 4.",
        Examples = """
            Examples:
              GrpcBench layers --quick                    TCP, Unix socket and pipe, 10 B and 10 kB
              GrpcBench layers --transports tcp,tls,unix  what encryption adds, and to which layer
              GrpcBench layers --client-cpus 0 --server-cpus 0  what is computed alone, without wake-ups of another CPU
              GrpcBench report results/….json --plot layers --format svg -o layers.svg

            """,
        Protocols = [ProtocolTable.Echo, ProtocolTable.Http2, ProtocolTable.Grpc],
        EchoSockets = ["bare", "loop"],
        Sizes = new("10,10k"),
        Connections = new("1"),
        QuickTime = "five minutes",
        Duration = Main.Duration with { Given = null },
        Rounds = Main.Rounds with { Given = null },
        Warmup = Main.Warmup with { Given = null },
        Calibrate = false,
        // One client, closed loop, servers of our own: the layers are parts of the same calls on the same endpoints.
        NotOffered =
        [
            "-U", "-n", "--client", "--mode", "--messages", "--chunk", "--no-calibration", "--crank", "-R", "--arrivals", "--load",
            "--my-rate", "--find", "--aa", "--insecure", "--cacert", "--cert", "--key", "--sni",
        ],
        Words = new Dictionary<string, string> { ["-s"] = "payload sizes", ["-c"] = "connections", ["-d"] = "measured time of one cell" },
    };

    /// <summary>Two builds of a server against each other.</summary>
    public static Preset Ab { get; } = Main with
    {
        Shapes = [],
        FreshServers = false, // the command sets it, however a measurement ends
        Name = "ab",
        Description = "Compares two builds of a server, started by the commands given and interleaved as arms of one run: did this change "
            + "make it slower? Every round has new processes of both. About 5 minutes.",
        Examples = """
            In a command these are replaced by the place where the server is to listen:
              {url}      as ASP.NET Core reads it: http://127.0.0.1:4711, http://unix:/tmp/x.sock
              {address}  as this program writes it: http://127.0.0.1:4711, unix:/tmp/x.sock
              {port}     a free port
              {path}     a path for a Unix socket
            Its words are split as a shell does, without a shell. A server is ready when a
            connection succeeds (30 s at most). It serves Bench.Download, or any method with
            --call. In GitHub Actions the table is added to the summary of the job.

            Examples:
              GrpcBench ab --base './old/Shop --urls {url}' --head './new/Shop --urls {url}' \
                --call shop.Cart/Add --data '{"item":"tea"}' --fail-on 'server_cpu>3%'
              GrpcBench ab --base 'python3 base/app.py --port {port} --socket {path}' \
                --head 'python3 head/app.py --port {port} --socket {path}'

            """,
        Transports = new("tcp,unix"),
        Sizes = new("10"),
        Connections = new("50"),
        Duration = new("1s"),
        Rounds = new("16"),
        Warmup = new("150ms"), // and so 3 s for each server: sixteen rounds take five minutes
        Calibrate = false,
        NotOffered =
        [
            "-U", "--quick", "--aa", "--crank", "--reference", "--server-pids", "--load", "--find", "--no-calibration",
            .. Knob.All.Where(knob => knob.Side == KnobSide.Server).Select(knob => knob.Option),
        ],
        Words = new Dictionary<string, string>
        {
            ["--transports"] = "transports to measure, each with a process of its own on both sides: tcp, tls, unix, pipe",
        },
    };

    /// <summary>Those that are commands of their own and differ from the main one by their preset alone.</summary>
    public static IReadOnlyList<Preset> Commands { get; } = [Article, Echo, Layers];
}
