using IpcBench.Analysis.Comparison;
using IpcBench.Client.Protocols;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>The options of a run: what to measure and how. They are checked once and never change.</summary>
internal sealed record RunOptions
{
    /// <summary>The largest number of rounds of <c>--rounds auto</c>.</summary>
    public const int MostAutoRounds = 100;

    /// <summary>The experiment or published comparison that the run repeats, by its name. Empty for the main command.</summary>
    public string Scenario { get; init; } = "";

    /// <summary>Servers to measure. When empty, this tool starts a server and measures its endpoints.</summary>
    public required IReadOnlyList<Address> Addresses { get; init; }

    /// <summary>
    /// The HTTP/1.1 servers with their requests. Each is an arm, and its address is also in <see cref="Addresses"/>. Empty for other
    /// protocols.
    /// </summary>
    public IReadOnlyList<HttpArm> Http { get; init; } = [];

    /// <summary>The servers whose tool is called. Each is an arm, and its address is also in <see cref="Addresses"/>.</summary>
    public IReadOnlyList<ToolArm> Tools { get; init; } = [];

    /// <summary>The tool that the calls use. Null when <see cref="Tools"/> is empty.</summary>
    public AskedTool? Tool { get; init; }

    /// <summary>The method to call. Null means <c>Bench.Download</c> with each of <see cref="Sizes"/>.</summary>
    public AskedCall? Call { get; init; }

    /// <summary>The transports of the server that this tool starts.</summary>
    public required IReadOnlyList<string> Transports { get; init; }

    public required IReadOnlyList<long> Sizes { get; init; }
    public required IReadOnlyList<Topology> Topologies { get; init; }

    /// <summary>The cells of each shape of load. Empty means every size, by every client, in each of <see cref="Topologies"/>.</summary>
    public IReadOnlyList<CellSet> Shapes { get; init; } = [];

    /// <summary>The sets of cells that <see cref="PlannedCells.For"/> combines with the other compared values.</summary>
    public IEnumerable<CellSet> Sets =>
        Shapes.Count > 0 ? Shapes : Topologies.Select(topology => new CellSet(topology, Sizes, Clients));

    public required int Threads { get; init; }
    public required TimeSpan Duration { get; init; }

    /// <summary>True when the user gave <see cref="Duration"/>, so that windows of slow calls are not lengthened.</summary>
    public bool FixedDuration { get; init; }

    /// <summary>
    /// Length of the slices in which cells of a comparison take turns within a round, where possible
    /// (<see cref="BenchPlan.InTurns"/>). With 0, each cell is measured in one window.
    /// </summary>
    public TimeSpan Slice { get; init; }

    /// <summary>
    /// True when the user gave <see cref="Slice"/>. Cells then take turns even on the user's listening servers without HTTP/2.
    /// Otherwise these cells do not, because such a server may close connections that are idle between turns.
    /// </summary>
    public bool FixedSlice { get; init; }

    /// <summary>The number of calls after which a measurement ends. Null when it ends after <see cref="Duration"/>.</summary>
    public long? Calls { get; init; }

    public required TimeSpan Warmup { get; init; }
    public required TimeSpan Timeout { get; init; }

    /// <summary>Rounds of every cell. With <see cref="RoundsAuto"/>, the largest number of rounds.</summary>
    public required int Rounds { get; init; }

    /// <summary>True when no number of rounds was given, so that the plan may add rounds (<see cref="BenchPlan.Options"/>).</summary>
    public bool AddsRounds { get; init; }

    /// <summary>
    /// True when this tool starts new servers for each round, so that each process is a sample. False when all rounds share the same
    /// processes.
    /// </summary>
    public bool FreshServers { get; init; }

    /// <summary>The saved run to which these rounds are added. Null for a new run.</summary>
    public Resumption? Resume { get; init; }

    /// <summary>True to add rounds until every comparison has a verdict, within <see cref="Rounds"/> and <see cref="MaxTime"/>.</summary>
    public bool RoundsAuto { get; init; }

    public TimeSpan MaxTime { get; init; } = TimeSpan.MaxValue;

    /// <summary>
    /// The limits of <c>ab</c>. The run may end early when it is sure that a limit is crossed, or that no limit is crossed. Empty when
    /// the user gave no limit. Null for other commands.
    /// </summary>
    public IReadOnlyList<GateLimit>? Limits { get; init; }

    /// <summary>The smallest relative difference that matters to the user.</summary>
    public double Delta { get; init; } = 0.03;

    public required long Seed { get; init; }

    /// <summary>Client implementations, <c>wire</c> or <c>grpc-dotnet</c>. Each is an arm.</summary>
    public IReadOnlyList<string> Clients { get; init; } = ["wire"];

    /// <summary>Protocols on the wire, by their names in <see cref="Protocols.ProtocolTable"/>. Each is an arm.</summary>
    public IReadOnlyList<string> Protocols { get; init; } = ["grpc"];

    /// <summary>Kinds of calls of this tool's own service, by their names in <see cref="CallMode"/>. Each is an arm.</summary>
    public IReadOnlyList<string> Modes { get; init; } = [CallMode.Unary];

    /// <summary>Messages per stream, in modes with streams of messages. 0 means one stream for the whole load.</summary>
    public long Messages { get; init; }

    /// <summary>
    /// Bytes of the messages into which pulled payloads are cut. Each size is an arm. 0 means that a payload is one message.
    /// </summary>
    public IReadOnlyList<long> Chunks { get; init; } = [0];

    /// <summary>Each value is an arm. True opens a connection for every call. False keeps the connections for all calls.</summary>
    public IReadOnlyList<bool> ConnectPerCall { get; init; } = [false];

    /// <summary>The arm that ratios refer to. Null means the default of <see cref="ReferenceArm"/>.</summary>
    public string? Reference { get; init; }

    /// <summary>Calls per second over all connections in an open loop. Null in a closed loop.</summary>
    public double? Rate { get; init; }
    public bool Poisson { get; init; }

    /// <summary>The loads that all arms get after the rounds at full load.</summary>
    public IReadOnlyList<GivenLoad> Loads { get; init; } = [];

    /// <summary>True to measure the reference also at a second endpoint, to see how the run judges two equal arms.</summary>
    public bool AgainstItself { get; init; }

    public required IReadOnlyList<Variant> Variants { get; init; }
    public required ConnectorOptions Connector { get; init; }
    public CpuSet? ClientCpus { get; init; }
    public CpuSet? ServerCpus { get; init; }

    /// <summary>Listening endpoints whose connections are counted by state during a window.</summary>
    public IReadOnlyList<Watch> Watches { get; init; } = [];

    /// <summary>
    /// The processes whose CPU time counts as the server's, together with their descendants. Empty means no process. Null means the
    /// processes that this tool starts, or that listen at the addresses.
    /// </summary>
    public IReadOnlyList<int>? ServerPids { get; init; }

    /// <summary>True to sample the server after the rounds (<see cref="SampledWindows"/>).</summary>
    public bool Profile { get; init; }

    public required OutputOptions Output { get; init; }

    /// <summary>The kinds of the measured transports.</summary>
    public IEnumerable<string> Kinds => OwnServer ? Transports : Addresses.Select(address => address.Kind);

    /// <summary>True when a server is a child process of the client: this tool's server, or the command of a user.</summary>
    public bool HasChildren => Kinds.Any(Address.Child.IsKind);

    /// <summary>True when this tool starts the servers that it measures.</summary>
    public bool OwnServer => Addresses.Count == 0;
}
