namespace IpcBench.Analysis.Results;

/// <summary>
/// One run: the content of a results file. Everything a report shows is computed from it; nothing derived is stored as truth.
/// </summary>
public sealed record RunRecord
{
    /// <summary>The version of this schema that the writer used.</summary>
    public int SchemaVersion { get; init; } = 1;

    /// <summary>The tool's version with the commit, as <c>--version</c> prints it.</summary>
    public required string ToolVersion { get; init; }

    public required DateTimeOffset Started { get; init; }

    /// <summary>Null while the run goes on, and for ever when it was killed.</summary>
    public DateTimeOffset? Finished { get; init; }

    /// <summary>How it ended: <c>running</c>, <c>complete</c>, <c>interrupted</c>, or <c>failed: …</c> with one sentence.</summary>
    public string Ending { get; init; } = "running";

    public string Label { get; init; } = "";

    /// <summary>
    /// The published comparison that it repeats: <c>echo</c>, <c>article</c>, <c>flask</c>, …; empty for a run of its own.
    /// </summary>
    public string Scenario { get; init; } = "";

    /// <summary>
    /// The arguments as typed, without what may be secret: values of headers, queries and users of URLs are <c>(hidden)</c>.
    /// </summary>
    public required IReadOnlyList<string> CommandLine { get; init; }

    /// <summary>Shuffles the order of the cells of each round.</summary>
    public required long Seed { get; init; }

    public required RunOptionsRecord Options { get; init; }

    /// <summary>The method that was called in place of <c>Bench.Download</c>; null where none was.</summary>
    public CallRecord? Call { get; init; }

    /// <summary>The machine and runtime of the client.</summary>
    public required HostInfo Host { get; init; }

    /// <summary>
    /// One entry per server process, of those of the first round where each has its own; empty when no server tells about itself.
    /// </summary>
    public IReadOnlyList<ServerInfo> Servers { get; init; } = [];

    /// <summary>Whose CPU time stands for that of servers that this tool did not start; empty for those that it did.</summary>
    public IReadOnlyList<ServerProcess> ServerProcesses { get; init; } = [];

    /// <summary>The cells, in the order in which reports show them; <see cref="Measurement.Cell"/> is an index into it.</summary>
    public required IReadOnlyList<Cell> Cells { get; init; }

    /// <summary>Every measured round of every cell, in the order of measuring, spoiled and repeated ones included.</summary>
    public IReadOnlyList<Measurement> Rounds { get; init; } = [];

    /// <summary>The client's own ceiling per kind of socket, when it was calibrated.</summary>
    public IReadOnlyList<Calibration> Calibrations { get; init; } = [];

    /// <summary>
    /// Doubts raised before and during the run (about the machine, the limits, what a server said). Those that follow from rounds are
    /// computed by reports.
    /// </summary>
    public IReadOnlyList<Advice> Advice { get; init; } = [];
}

/// <summary>A method and what it was called with; of its metadata the names alone.</summary>
public sealed record CallRecord
{
    /// <summary><c>package.Service/Method</c>.</summary>
    public required string Method { get; init; }

    /// <summary>
    /// SHA-256 of the requests' messages, each after its length as four big-endian bytes; lower-case hexadecimal digits.
    /// </summary>
    public required string Corpus { get; init; }

    /// <summary>Requests that were sent in turn.</summary>
    public required int Requests { get; init; }

    /// <summary>Bytes of the smallest of their messages.</summary>
    public required long SmallestRequest { get; init; }

    /// <summary>Bytes of the largest.</summary>
    public required long LargestRequest { get; init; }

    /// <summary>What was sent as <c>grpc-timeout</c>, in ns; 0: none was.</summary>
    public long DeadlineNs { get; init; }

    /// <summary>Names of the metadata that was sent with every call.</summary>
    public IReadOnlyList<string> Metadata { get; init; } = [];
}

/// <summary>The client's own ceiling: the same client against a responder of almost no cost on the same kind of socket.</summary>
public sealed record Calibration
{
    public required string Transport { get; init; }
    public required long Size { get; init; }
    public required int Connections { get; init; }
    public int Streams { get; init; } = 1;

    /// <summary>Calls per second that the client reached.</summary>
    public required double Rate { get; init; }

    /// <summary>Client CPU per call there, in ns.</summary>
    public double ClientCpuNs { get; init; }
}

/// <summary>A reason to doubt a number, and what to do about it.</summary>
public sealed record Advice
{
    /// <summary>Stable short name for scripts, e.g. <c>client-limit</c>, <c>foreign-load</c>, <c>placement</c>.</summary>
    public required string Id { get; init; }

    /// <summary>One sentence: what was seen, with its numbers.</summary>
    public required string Doubt { get; init; }

    /// <summary>One sentence: what to do about it.</summary>
    public required string Fix { get; init; }

    /// <summary>Cells it is about, indexes into <see cref="RunRecord.Cells"/>; empty when it is about the whole run.</summary>
    public IReadOnlyList<int> Cells { get; init; } = [];
}

/// <summary>The options that shaped the numbers, with defaults filled in.</summary>
public sealed record RunOptionsRecord
{
    /// <summary>Rounds planned; 0 when the tool decides (<c>--rounds auto</c>).</summary>
    public required int Rounds { get; init; }

    /// <summary>Nominal length of one measurement in ns; 0 when a number of calls ends it.</summary>
    public required long DurationNs { get; init; }

    /// <summary>
    /// Cells that are compared took turns of at least so long where they could (<see cref="Measurement.Slices"/>); 0: each round of a cell
    /// was one window.
    /// </summary>
    public long SliceNs { get; init; }

    /// <summary>That length was asked for (<c>-d</c>), so that windows of slow calls were not lengthened.</summary>
    public bool DurationFixed { get; init; }

    /// <summary>Calls of one measurement; 0 when its length ends it.</summary>
    public long Calls { get; init; }

    public required long WarmupNs { get; init; }

    /// <summary>
    /// Each round had server processes of its own, started for it; else all rounds are of the same processes, and intervals say nothing of
    /// another start of them.
    /// </summary>
    public bool FreshServers { get; init; }

    /// <summary>How long each server was loaded before its first round, in ns; nothing of it is kept.</summary>
    public long RehearsalNs { get; init; }

    /// <summary>A call that takes longer is cut off, in ns.</summary>
    public required long TimeoutNs { get; init; }

    public required int Threads { get; init; }

    /// <summary>The arm that ratios refer to: <c>tcp</c> unless told otherwise.</summary>
    public string Reference { get; init; } = "tcp";

    /// <summary>Differences smaller than this ratio (0.03 is 3 %) do not matter to the asker.</summary>
    public double Delta { get; init; } = 0.03;

    /// <summary>The rounds that are looked at may stop the run early, so intervals are corrected for looking many times.</summary>
    public bool RoundsAuto { get; init; }

    /// <summary>
    /// Numbers of rounds after which somebody looked before asking for more (<c>--resume</c>), the last one being that of the rounds asked
    /// for: intervals are corrected for looking many times; empty for a run of one go.
    /// </summary>
    public IReadOnlyList<int> Looks { get; init; } = [];

    /// <summary>Every knob that moves results, as text: <c>http2-window</c> → <c>16777216</c>.</summary>
    public IReadOnlyDictionary<string, string> Knobs { get; init; } = new Dictionary<string, string>();

    /// <summary>
    /// Whether the run could end early, or went on, for what it showed: then intervals are those that hold at every look.
    /// </summary>
    public bool IsLookedAt() => RoundsAuto || Looks.Count > 0;
}

/// <summary>The machine and runtime that made the numbers. Unknown texts are empty, unknown numbers 0.</summary>
public sealed record HostInfo
{
    public string Os { get; init; } = "";
    public string Kernel { get; init; } = "";
    public string Architecture { get; init; } = "";

    /// <summary>Hypervisor or container, e.g. <c>kvm</c>, <c>docker</c>; empty on bare metal or when it cannot be told.</summary>
    public string Virtualization { get; init; } = "";

    /// <summary>CPUs' worth of time a container may use; 0 when not limited.</summary>
    public double CpuQuota { get; init; }

    public string CpuModel { get; init; } = "";
    public int LogicalCpus { get; init; }
    public int PhysicalCores { get; init; }
    public int Sockets { get; init; }
    public string Governor { get; init; } = "";
    public string ClockSource { get; init; } = "";
    public long MemoryBytes { get; init; }

    /// <summary>CPUs that the client may run on (<c>0-1</c>), or <c>free</c>.</summary>
    public string ClientCpus { get; init; } = "free";

    /// <summary>CPUs that the server may run on, or <c>free</c>.</summary>
    public string ServerCpus { get; init; } = "free";

    public string Runtime { get; init; } = "";

    /// <summary>The client's: <c>workstation</c> or <c>server</c>, with <c>, concurrent</c> where it is.</summary>
    public string GcMode { get; init; } = "";

    /// <summary>Tiered compilation and PGO, as configured.</summary>
    public string Tiering { get; init; } = "";

    /// <summary>The client's <c>DOTNET_*</c> and <c>COMPlus_*</c> variables, those alone that are known to move results.</summary>
    public IReadOnlyDictionary<string, string> RuntimeVariables { get; init; } = new Dictionary<string, string>();

    /// <summary>Open files: soft limit.</summary>
    public long OpenFileLimit { get; init; }

    /// <summary>Longest accept queue (net.core.somaxconn on Linux).</summary>
    public int SoMaxConn { get; init; }

    /// <summary>What else was looked at, as text, e.g. <c>net.ipv4.tcp_rmem</c>.</summary>
    public IReadOnlyDictionary<string, string> Settings { get; init; } = new Dictionary<string, string>();
}

/// <summary>What a server says about itself (<c>Control.Describe</c>).</summary>
public sealed record ServerInfo
{
    /// <summary>Addresses of this run that this server answers on.</summary>
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
