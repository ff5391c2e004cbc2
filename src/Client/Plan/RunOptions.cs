using IpcBench.Analysis.Comparison;
using IpcBench.Client.Protocols;
using IpcBench.Client.Protocols.Http1;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>What to measure and how, validated once and never changed afterwards.</summary>
internal sealed record RunOptions
{
    /// <summary>More rounds than this are never asked for by <c>--rounds auto</c>.</summary>
    public const int MostAutoRounds = 100;

    /// <summary>The published comparison that it repeats; empty for a run of its own.</summary>
    public string Scenario { get; init; } = "";

    /// <summary>Servers to measure; empty: start one and measure its endpoints.</summary>
    public required IReadOnlyList<Address> Addresses { get; init; }

    /// <summary>
    /// What to ask HTTP/1.1 servers for, each an arm whose address is among <see cref="Addresses"/>; empty for other protocols.
    /// </summary>
    public IReadOnlyList<HttpArm> Http { get; init; } = [];

    /// <summary>The method to call; null: <c>Bench.Download</c> with each of <see cref="Sizes"/>.</summary>
    public AskedCall? Call { get; init; }

    /// <summary>Kinds of endpoint that an own server is asked for.</summary>
    public required IReadOnlyList<string> Transports { get; init; }

    public required IReadOnlyList<long> Sizes { get; init; }
    public required IReadOnlyList<Topology> Topologies { get; init; }

    /// <summary>What is measured in each shape of load; empty: every size, by every client, in each of <see cref="Topologies"/>.</summary>
    public IReadOnlyList<CellSet> Shapes { get; init; } = [];

    /// <summary>The cells of a plan before transports, modes and loads multiply them.</summary>
    public IEnumerable<CellSet> Sets =>
        Shapes.Count > 0 ? Shapes : Topologies.Select(topology => new CellSet(topology, Sizes, Clients));

    public required int Threads { get; init; }
    public required TimeSpan Duration { get; init; }

    /// <summary><see cref="Duration"/> was asked for: windows of slow calls are not lengthened.</summary>
    public bool FixedDuration { get; init; }

    /// <summary>
    /// Cells that are compared take turns of so long within a round, where they can (<see cref="BenchPlan.InTurns"/>); 0: each is measured
    /// in one window.
    /// </summary>
    public TimeSpan Slice { get; init; }

    /// <summary><see cref="Slice"/> was asked for: servers that are not ours keep the connections of all cells that are compared.</summary>
    public bool FixedSlice { get; init; }

    /// <summary>Calls of one measurement, which then takes as long as it takes; null: <see cref="Duration"/> ends it.</summary>
    public long? Calls { get; init; }

    public required TimeSpan Warmup { get; init; }
    public required TimeSpan Timeout { get; init; }

    /// <summary>Rounds of every cell; with <see cref="RoundsAuto"/> the most there can be.</summary>
    public required int Rounds { get; init; }

    /// <summary>
    /// Servers that this tool starts are started anew for each round, so that one process is one sample; else all rounds are of the same.
    /// </summary>
    public bool FreshServers { get; init; }

    /// <summary>The kept run that gets these rounds on top of its own; null: a run of its own.</summary>
    public Resumption? Resume { get; init; }

    /// <summary>Go on until every verdict is decided, or <see cref="MaxTime"/> is over.</summary>
    public bool RoundsAuto { get; init; }

    public TimeSpan MaxTime { get; init; } = TimeSpan.FromMinutes(30);

    /// <summary>Of <c>ab</c>: the limits whose crossing or exclusion ends the run, empty without any; null for other commands.</summary>
    public IReadOnlyList<GateLimit>? Limits { get; init; }

    /// <summary>Differences smaller than this ratio do not matter to the asker.</summary>
    public double Delta { get; init; } = 0.03;

    public required long Seed { get; init; }

    /// <summary>Client implementations, each an arm: <c>wire</c>, <c>grpc-dotnet</c>.</summary>
    public IReadOnlyList<string> Clients { get; init; } = ["wire"];

    /// <summary>What a call is on the wire, each an arm: those of <see cref="Protocols.ProtocolTable"/>.</summary>
    public IReadOnlyList<string> Protocols { get; init; } = ["grpc"];

    /// <summary>What a call of this tool's own service is, each an arm: those of <see cref="CallMode"/>.</summary>
    public IReadOnlyList<string> Modes { get; init; } = [CallMode.Unary];

    /// <summary>Messages of each stream in modes that have such; 0: one stream for all of the load.</summary>
    public long Messages { get; init; }

    /// <summary>Bytes of the messages that pulled payloads are cut into, each an arm; 0: a payload is one message.</summary>
    public IReadOnlyList<long> Chunks { get; init; } = [0];

    /// <summary>Each an arm: false keeps connections for all calls, true opens one for every call.</summary>
    public IReadOnlyList<bool> ConnectPerCall { get; init; } = [false];

    /// <summary>The arm that ratios refer to; null: TCP, or the first there is.</summary>
    public string? Reference { get; init; }

    /// <summary>Open loop: calls per second over all connections; null: closed loop.</summary>
    public double? Rate { get; init; }
    public bool Poisson { get; init; }

    /// <summary>After the saturation rounds: what every arm is loaded with.</summary>
    public IReadOnlyList<GivenLoad> Loads { get; init; } = [];

    /// <summary>Measure the reference once more as a second endpoint, to see what the method says of equals.</summary>
    public bool AgainstItself { get; init; }

    public required IReadOnlyList<Variant> Variants { get; init; }
    public required ConnectorOptions Connector { get; init; }
    public CpuSet? ClientCpus { get; init; }
    public CpuSet? ServerCpus { get; init; }

    /// <summary>Listening endpoints whose connections are counted by state while a window is measured.</summary>
    public IReadOnlyList<Watch> Watches { get; init; } = [];

    /// <summary>
    /// Processes whose CPU time, with that of their descendants, is the server's; empty: nobody's. Null: those that this tool starts, or
    /// that listen at the addresses.
    /// </summary>
    public IReadOnlyList<int>? ServerPids { get; init; }

    public required OutputOptions Output { get; init; }

    /// <summary>True when this tool starts the server it measures.</summary>
    public bool OwnServer => Addresses.Count == 0;
}

/// <summary>How concurrent calls are spread: over connections, and over streams of each.</summary>
internal sealed record Topology(int Connections, int Streams)
{
    /// <summary>Every number of connections with every number of streams, connections varying faster.</summary>
    public static IReadOnlyList<Topology> All(IReadOnlyList<int> connections, IReadOnlyList<int> streams) =>
        [.. from m in streams from c in connections select new Topology(c, m)];
}

/// <summary>One setting of the knobs as an arm of its own; the plain run has a single one without a name.</summary>
/// <param name="Name">Empty, or <c>socket-buffer=256k</c>.</param>
/// <param name="Knobs">All knobs in force for this arm.</param>
/// <param name="EchoAlone">Of what the run measures only raw echoes are measured on this one, and only over plain sockets.</param>
internal sealed record Variant(string Name, Knobs Knobs, bool EchoAlone = false)
{
    /// <summary>
    /// Words of the command that starts its servers, one process for each transport (<c>ab</c>); null: this tool's own server.
    /// </summary>
    public IReadOnlyList<string>? Command { get; init; }

    /// <summary>The name in messages of the server that the command starts.</summary>
    public string Side => Name.Length == 0 ? "base" : "head";
}

/// <summary>A listening endpoint whose connections are counted by state while a window is measured.</summary>
/// <param name="Name">As reports call it.</param>
/// <param name="Address">Where it listens; of a TCP address the port alone counts.</param>
internal sealed record Watch(string Name, Address Address);

/// <summary>One HTTP/1.1 server and what to ask it for.</summary>
/// <param name="Name">What sets it apart from others of its transport: as typed, <c>#2</c> for the second without a name; empty for the
/// first.</param>
/// <param name="Address">Where it listens.</param>
/// <param name="Request">What every call asks for; its size is not known yet.</param>
internal sealed record HttpArm(string Name, Address Address, HttpRequest Request);

/// <summary>Where a run leaves what it measured.</summary>
internal sealed record OutputOptions
{
    /// <summary>Results file; null: <c>results/&lt;UTC time&gt;-&lt;os&gt;-&lt;label&gt;.json</c>.</summary>
    public string? File { get; init; }
    public string Label { get; init; } = "";
    public bool Save { get; init; } = true;

    /// <summary>Reports that <c>-o</c> asks for by the endings of their names.</summary>
    public IReadOnlyList<ReportFile> Reports { get; init; } = [];

    /// <summary>A report on stdout instead of the transcript, which then goes to stderr; null: the transcript.</summary>
    public string? Format { get; init; }

    /// <summary>For dotnet/crank: nothing but the statistics block.</summary>
    public bool Crank { get; init; }

    /// <summary>Every round of every cell as it is measured, and the whole report, also on a terminal.</summary>
    public bool Verbose { get; init; }
}
