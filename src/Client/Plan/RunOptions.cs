using IpcBench.Analysis.Comparison;
using IpcBench.Client.Protocols;
using IpcBench.Client.Protocols.Http1;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>What to measure and how; validated once and immutable.</summary>
internal sealed record RunOptions
{
    /// <summary>The limit of rounds of <c>--rounds auto</c>.</summary>
    public const int MostAutoRounds = 100;

    /// <summary>The published comparison that it repeats; empty for a run of its own.</summary>
    public string Scenario { get; init; } = "";

    /// <summary>Servers to measure; empty: start one and measure its endpoints.</summary>
    public required IReadOnlyList<Address> Addresses { get; init; }

    /// <summary>
    /// The requests to HTTP/1.1 servers, each an arm whose address is among <see cref="Addresses"/>; empty for other protocols.
    /// </summary>
    public IReadOnlyList<HttpArm> Http { get; init; } = [];

    /// <summary>The method to call; null: <c>Bench.Download</c> with each of <see cref="Sizes"/>.</summary>
    public AskedCall? Call { get; init; }

    /// <summary>The transports of the server that this tool starts.</summary>
    public required IReadOnlyList<string> Transports { get; init; }

    public required IReadOnlyList<long> Sizes { get; init; }
    public required IReadOnlyList<Topology> Topologies { get; init; }

    /// <summary>The cells in each shape of load; empty: every size, by every client, in each of <see cref="Topologies"/>.</summary>
    public IReadOnlyList<CellSet> Shapes { get; init; } = [];

    /// <summary>The cells of a plan before transports, modes and loads multiply them.</summary>
    public IEnumerable<CellSet> Sets =>
        Shapes.Count > 0 ? Shapes : Topologies.Select(topology => new CellSet(topology, Sizes, Clients));

    public required int Threads { get; init; }
    public required TimeSpan Duration { get; init; }

    /// <summary><see cref="Duration"/> was given, so windows of slow calls are not lengthened.</summary>
    public bool FixedDuration { get; init; }

    /// <summary>
    /// Length of the slices in which cells of a comparison take turns within a round, where possible
    /// (<see cref="BenchPlan.InTurns"/>); 0: each cell is measured in one window.
    /// </summary>
    public TimeSpan Slice { get; init; }

    /// <summary>
    /// <see cref="Slice"/> was given: the connections of all cells of a comparison stay open, also to the user's servers.
    /// </summary>
    public bool FixedSlice { get; init; }

    /// <summary>Calls of a measurement, whatever time they take; null: the measurement ends after <see cref="Duration"/>.</summary>
    public long? Calls { get; init; }

    public required TimeSpan Warmup { get; init; }
    public required TimeSpan Timeout { get; init; }

    /// <summary>Rounds of every cell; with <see cref="RoundsAuto"/> the largest number of rounds.</summary>
    public required int Rounds { get; init; }

    /// <summary>
    /// This tool starts its servers anew for each round, so that each process is a sample; otherwise all rounds share the same processes.
    /// </summary>
    public bool FreshServers { get; init; }

    /// <summary>The saved run to which these rounds are added; null: a new run.</summary>
    public Resumption? Resume { get; init; }

    /// <summary>Continue until every verdict is decided or <see cref="MaxTime"/> is over.</summary>
    public bool RoundsAuto { get; init; }

    public TimeSpan MaxTime { get; init; } = TimeSpan.FromMinutes(30);

    /// <summary>
    /// The limits of <c>ab</c>: the run ends when one is crossed or all are excluded. Empty without limits; null for other commands.
    /// </summary>
    public IReadOnlyList<GateLimit>? Limits { get; init; }

    /// <summary>Smaller differences than this ratio do not matter to the user.</summary>
    public double Delta { get; init; } = 0.03;

    public required long Seed { get; init; }

    /// <summary>Client implementations, each an arm: <c>wire</c>, <c>grpc-dotnet</c>.</summary>
    public IReadOnlyList<string> Clients { get; init; } = ["wire"];

    /// <summary>Protocols on the wire, each an arm: names in <see cref="Protocols.ProtocolTable"/>.</summary>
    public IReadOnlyList<string> Protocols { get; init; } = ["grpc"];

    /// <summary>Kinds of calls of this tool's own service, each an arm: names in <see cref="CallMode"/>.</summary>
    public IReadOnlyList<string> Modes { get; init; } = [CallMode.Unary];

    /// <summary>Messages per stream, in modes with streams of messages; 0: one stream for the whole load.</summary>
    public long Messages { get; init; }

    /// <summary>Bytes of the messages into which pulled payloads are cut, each an arm; 0: a payload is one message.</summary>
    public IReadOnlyList<long> Chunks { get; init; } = [0];

    /// <summary>Each an arm: false keeps connections for all calls, true opens one for every call.</summary>
    public IReadOnlyList<bool> ConnectPerCall { get; init; } = [false];

    /// <summary>The arm that ratios refer to; null: TCP, or the first arm without TCP.</summary>
    public string? Reference { get; init; }

    /// <summary>Open loop: calls per second over all connections; null: closed loop.</summary>
    public double? Rate { get; init; }
    public bool Poisson { get; init; }

    /// <summary>The loads of all arms after the rounds at full load.</summary>
    public IReadOnlyList<GivenLoad> Loads { get; init; } = [];

    /// <summary>Measure the reference once more as a second endpoint, to see what the method says of equals.</summary>
    public bool AgainstItself { get; init; }

    public required IReadOnlyList<Variant> Variants { get; init; }
    public required ConnectorOptions Connector { get; init; }
    public CpuSet? ClientCpus { get; init; }
    public CpuSet? ServerCpus { get; init; }

    /// <summary>Listening endpoints whose connections are counted by state during a window.</summary>
    public IReadOnlyList<Watch> Watches { get; init; } = [];

    /// <summary>
    /// Processes whose CPU time, with that of their descendants, counts as the server's; empty: no process. Null: the
    /// processes that this tool starts, or that listen at the addresses.
    /// </summary>
    public IReadOnlyList<int>? ServerPids { get; init; }

    public required OutputOptions Output { get; init; }

    /// <summary>True when this tool starts the server it measures.</summary>
    public bool OwnServer => Addresses.Count == 0;
}

/// <summary>How concurrent calls are distributed: over connections, and over the streams of each connection.</summary>
internal sealed record Topology(int Connections, int Streams)
{
    /// <summary>All combinations of connections and streams; the number of connections varies faster.</summary>
    public static IReadOnlyList<Topology> All(IReadOnlyList<int> connections, IReadOnlyList<int> streams) =>
        [.. from m in streams from c in connections select new Topology(c, m)];
}

/// <summary>One setting of the knobs as an arm of its own; the plain run has a single one without a name.</summary>
/// <param name="Name">Empty, or <c>socket-buffer=256k</c>.</param>
/// <param name="Knobs">All knobs of this arm.</param>
/// <param name="EchoAlone">Only raw echoes are measured with this variant, and only over plain sockets.</param>
internal sealed record Variant(string Name, Knobs Knobs, bool EchoAlone = false)
{
    /// <summary>
    /// The words of the command that starts its servers, one process per transport (<c>ab</c>); null: this tool's own server.
    /// </summary>
    public IReadOnlyList<string>? Command { get; init; }

    /// <summary>The name in messages of the server that the command starts.</summary>
    public string Side => Name.Length == 0 ? "base" : "head";
}

/// <summary>A listening endpoint whose connections are counted by state during a window.</summary>
/// <param name="Name">The name in reports.</param>
/// <param name="Address">The address at which it listens; for a TCP address only the port counts.</param>
internal sealed record Watch(string Name, Address Address);

/// <summary>An HTTP/1.1 server and its request.</summary>
/// <param name="Name">
/// Distinguishes the server from others on its transport: the given name, or <c>#2</c> for the second without a name; empty for the first.
/// </param>
/// <param name="Address">The address at which it listens.</param>
/// <param name="Request">The request of every call; the size of its reply is not known yet.</param>
internal sealed record HttpArm(string Name, Address Address, HttpRequest Request);

/// <summary>Where a run saves and prints its results.</summary>
internal sealed record OutputOptions
{
    /// <summary>Results file; null: <c>results/&lt;UTC time&gt;-&lt;os&gt;-&lt;label&gt;.json</c>.</summary>
    public string? File { get; init; }
    public string Label { get; init; } = "";
    public bool Save { get; init; } = true;

    /// <summary>Reports given by <c>-o</c>, by their extensions.</summary>
    public IReadOnlyList<ReportFile> Reports { get; init; } = [];

    /// <summary>A report on stdout instead of the transcript, which is then on stderr; null: the transcript.</summary>
    public string? Format { get; init; }

    /// <summary>Print only dotnet/crank's statistics block.</summary>
    public bool Crank { get; init; }

    /// <summary>Print every round of every cell after its measurement, and the whole report, also on a terminal.</summary>
    public bool Verbose { get; init; }
}
