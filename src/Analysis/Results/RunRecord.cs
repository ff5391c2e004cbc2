namespace IpcBench.Analysis.Results;

/// <summary>A run: the content of a results file. Reports compute everything from it, so the file stores no derived values.</summary>
public sealed record RunRecord
{
    /// <summary>The version of this schema that the writer used.</summary>
    public int SchemaVersion { get; init; } = 1;

    /// <summary>The tool's version with the commit, as <c>--version</c> prints it.</summary>
    public required string ToolVersion { get; init; }

    public required DateTimeOffset Started { get; init; }

    /// <summary>When the run ended. Null while it goes on, and in the file of a run that was killed.</summary>
    public DateTimeOffset? Finished { get; init; }

    /// <summary>How the run ended: <c>running</c>, <c>complete</c>, <c>interrupted</c>, or <c>failed: …</c> with one sentence.</summary>
    public string Ending { get; init; } = RunEnding.Running;

    public string Label { get; init; } = "";

    /// <summary>
    /// The published comparison that the run repeats: <c>echo</c>, <c>article</c>, <c>flask</c>, … Empty for other runs.
    /// </summary>
    public string Scenario { get; init; } = "";

    /// <summary>
    /// The arguments as typed, without possible secrets. Values of headers, and queries and users of URLs, are <c>(hidden)</c>.
    /// </summary>
    public required IReadOnlyList<string> CommandLine { get; init; }

    /// <summary>The seed that shuffles the order of the cells in each round.</summary>
    public required long Seed { get; init; }

    public required RunOptionsRecord Options { get; init; }

    /// <summary>The method that was called instead of <c>Bench.Download</c>. Null for <c>Bench.Download</c>.</summary>
    public CallRecord? Call { get; init; }

    /// <summary>The machine and runtime of the client.</summary>
    public required HostInfo Host { get; init; }

    /// <summary>
    /// One entry per server process. If each round has its own processes, the entries are those of the first round. Empty
    /// when no server reports about itself.
    /// </summary>
    public IReadOnlyList<ServerInfo> Servers { get; init; } = [];

    /// <summary>
    /// The processes whose CPU time counts as the servers', if this tool did not start the servers. Empty when this
    /// tool started them.
    /// </summary>
    public IReadOnlyList<ServerProcess> ServerProcesses { get; init; } = [];

    /// <summary>The cells in the order of reports. <see cref="Measurement.Cell"/> is an index into this list.</summary>
    public required IReadOnlyList<Cell> Cells { get; init; }

    /// <summary>Every measured round of every cell in the order of measuring, including spoiled and repeated rounds.</summary>
    public IReadOnlyList<Measurement> Rounds { get; init; } = [];

    /// <summary>
    /// Doubts raised before and during the run, about the machine, its limits or the server. Doubts that follow from
    /// rounds are not stored, because reports compute them.
    /// </summary>
    public IReadOnlyList<Advice> Advice { get; init; } = [];
}

/// <summary>A method and the requests that it was called with. Only the names of the metadata are kept.</summary>
public sealed record CallRecord
{
    /// <summary>The name of the method: <c>package.Service/Method</c>.</summary>
    public required string Method { get; init; }

    /// <summary>
    /// SHA-256 over the messages of all requests, in lower-case hexadecimal digits. Before each message stands its length
    /// as four big-endian bytes.
    /// </summary>
    public required string Corpus { get; init; }

    /// <summary>The number of requests that were sent in turn.</summary>
    public required int Requests { get; init; }

    /// <summary>Bytes of the smallest request message.</summary>
    public required long SmallestRequest { get; init; }

    /// <summary>Bytes of the largest request message.</summary>
    public required long LargestRequest { get; init; }

    /// <summary>The <c>grpc-timeout</c> that was sent, in ns. 0 if none was sent.</summary>
    public long DeadlineNs { get; init; }

    /// <summary>Names of the metadata that every call sent.</summary>
    public IReadOnlyList<string> Metadata { get; init; } = [];
}

/// <summary>A reason to doubt a number, and what to do about it.</summary>
public sealed record Advice
{
    /// <summary>Stable short name for scripts, e.g. <c>client-limit</c>, <c>foreign-load</c>, <c>placement</c>.</summary>
    public required string Id { get; init; }

    /// <summary>What was seen, with its numbers, in one sentence.</summary>
    public required string Doubt { get; init; }

    /// <summary>What to do about the doubt, in one sentence.</summary>
    public required string Fix { get; init; }

    /// <summary>
    /// The cells that the advice is about, as indexes into <see cref="RunRecord.Cells"/>. Empty when it is about the whole run.
    /// </summary>
    public IReadOnlyList<int> Cells { get; init; } = [];
}

/// <summary>The options that affect the numbers, with defaults filled in.</summary>
public sealed record RunOptionsRecord
{
    /// <summary>Planned rounds. 0 when the tool decides (<c>--rounds auto</c>).</summary>
    public required int Rounds { get; init; }

    /// <summary>Nominal length of a measurement in ns. 0 when a measurement ends after a number of calls.</summary>
    public required long DurationNs { get; init; }

    /// <summary>
    /// The least length in ns of a slice, if the cells of a comparison took turns in slices (<see
    /// cref="Measurement.Slices"/>). 0 when each round of a cell was one window.
    /// </summary>
    public long SliceNs { get; init; }

    /// <summary>Whether the user requested the length (<c>-d</c>), so that windows were not lengthened for slow calls.</summary>
    public bool DurationFixed { get; init; }

    /// <summary>Calls of a measurement. 0 when a measurement ends after a time.</summary>
    public long Calls { get; init; }

    public required long WarmupNs { get; init; }

    /// <summary>
    /// Whether each round had server processes of its own. Otherwise all rounds share their processes, and intervals do
    /// not cover how another start of the servers would differ.
    /// </summary>
    public bool FreshServers { get; init; }

    /// <summary>The time in ns for which each server was loaded before its first round. The results of this load are not kept.</summary>
    public long RehearsalNs { get; init; }

    /// <summary>The time-out in ns after which a call is cut off.</summary>
    public required long TimeoutNs { get; init; }

    public required int Threads { get; init; }

    /// <summary>The arm that ratios refer to: <c>tcp</c> unless another arm was chosen.</summary>
    public string Reference { get; init; } = "tcp";

    /// <summary>Differences smaller than this ratio (0.03 is 3 %) do not matter to the user.</summary>
    public double Delta { get; init; } = 0.03;

    /// <summary>
    /// Whether the run could stop early, depending on its results. If so, its intervals are corrected for a look at the
    /// results after every round.
    /// </summary>
    public bool RoundsAuto { get; init; }

    /// <summary>
    /// Numbers of rounds after which the user looked at the results and requested more (<c>--resume</c>). The last entry
    /// is the requested number of rounds. Intervals are corrected for these looks. Empty for a run without
    /// <c>--resume</c>.
    /// </summary>
    public IReadOnlyList<int> Looks { get; init; } = [];

    /// <summary>Every knob that affects results, as text: <c>http2-window</c> → <c>16777216</c>.</summary>
    public IReadOnlyDictionary<string, string> Knobs { get; init; } = new Dictionary<string, string>();

    /// <summary>Whether the run could end or go on depending on its results, so that intervals must hold at every look.</summary>
    public bool IsLookedAt() => RoundsAuto || Looks.Count > 0;
}

/// <summary>The machine and runtime of a run. Unknown texts are empty, unknown numbers 0.</summary>
public sealed record HostInfo
{
    public string Os { get; init; } = "";
    public string Kernel { get; init; } = "";
    public string Architecture { get; init; } = "";

    /// <summary>Hypervisor or container, e.g. <c>kvm</c>, <c>docker</c>. Empty on bare metal or when unknown.</summary>
    public string Virtualization { get; init; } = "";

    /// <summary>The number of CPUs whose time a container may use. 0 when not limited.</summary>
    public double CpuQuota { get; init; }

    public string CpuModel { get; init; } = "";
    public int LogicalCpus { get; init; }
    public int PhysicalCores { get; init; }
    public int Sockets { get; init; }
    public string Governor { get; init; } = "";
    public string ClockSource { get; init; } = "";
    public long MemoryBytes { get; init; }

    /// <summary>CPUs that the client may use (<c>0-1</c>), or <c>free</c>.</summary>
    public string ClientCpus { get; init; } = "free";

    /// <summary>CPUs that the server may use, or <c>free</c>.</summary>
    public string ServerCpus { get; init; } = "free";

    public string Runtime { get; init; } = "";

    /// <summary>
    /// The client's garbage collector: <c>workstation</c> or <c>server</c>, followed by <c>, concurrent</c> if it is concurrent.
    /// </summary>
    public string GcMode { get; init; } = "";

    /// <summary>Tiered compilation and PGO as configured.</summary>
    public string Tiering { get; init; } = "";

    /// <summary>The client's <c>DOTNET_*</c> and <c>COMPlus_*</c> variables that are known to affect results.</summary>
    public IReadOnlyDictionary<string, string> RuntimeVariables { get; init; } = new Dictionary<string, string>();

    /// <summary>Soft limit of open files.</summary>
    public long OpenFileLimit { get; init; }

    /// <summary>Longest accept queue (net.core.somaxconn on Linux).</summary>
    public int SoMaxConn { get; init; }

    /// <summary>Other settings of the system, as text, e.g. <c>net.ipv4.tcp_rmem</c>.</summary>
    public IReadOnlyDictionary<string, string> Settings { get; init; } = new Dictionary<string, string>();
}

/// <summary>What a server reports about itself (<c>Control.Describe</c>).</summary>
public sealed record ServerInfo
{
    /// <summary>Addresses of this run that the server serves.</summary>
    public IReadOnlyList<string> Addresses { get; init; } = [];

    public string Stack { get; init; } = "";
    public string StackVersion { get; init; } = "";
    public string Version { get; init; } = "";
    public string Runtime { get; init; } = "";
    public string Os { get; init; } = "";
    public string GcMode { get; init; } = "";
    public int Processors { get; init; }

    /// <summary>Knobs and limits, as text.</summary>
    public IReadOnlyDictionary<string, string> Settings { get; init; } = new Dictionary<string, string>();
}
