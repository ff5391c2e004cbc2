namespace IpcBench.Analysis.Results;

/// <summary>A run: the content of a results file. Reports compute everything from it, so the file stores no derived values.</summary>
public sealed record RunRecord
{
    /// <summary>The version of this schema that the writer used.</summary>
    public int SchemaVersion { get; init; } = 1;

    /// <summary>The tool's version with the commit, as <c>--version</c> prints it.</summary>
    public required string ToolVersion { get; init; }

    public required DateTimeOffset Started { get; init; }

    /// <summary>When the run ended. Null while the run goes on, and in the file of a run that was killed.</summary>
    public DateTimeOffset? Finished { get; init; }

    /// <summary>How the run ended: <c>running</c>, <c>complete</c>, <c>interrupted</c>, or <c>failed: …</c> with one sentence.</summary>
    public string Ending { get; init; } = RunEnding.Running;

    public string Label { get; init; } = "";

    /// <summary>
    /// The experiment or published comparison: <c>echo</c>, <c>layers</c>, <c>ab</c>, <c>flask</c>, … Empty for other runs.
    /// </summary>
    public string Scenario { get; init; } = "";

    /// <summary>
    /// The arguments as typed, without possible secrets: <c>(hidden)</c> replaces the values of headers, and the query and the user
    /// in a URL.
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
    /// If this tool did not start the servers, the processes whose CPU time counts as the CPU time of the servers. Empty
    /// when this tool started the servers.
    /// </summary>
    public IReadOnlyList<ServerProcess> ServerProcesses { get; init; } = [];

    /// <summary>
    /// The cells in the order in which reports show them. <see cref="Measurement.Cell"/> is an index into this list.
    /// </summary>
    public required IReadOnlyList<Cell> Cells { get; init; }

    /// <summary>Every measured round of every cell in the order of measuring, including spoiled and repeated rounds.</summary>
    public IReadOnlyList<Measurement> Rounds { get; init; } = [];

    /// <summary>
    /// Doubts raised before and during the run, about the machine, its limits or the server. Doubts that follow from
    /// rounds are not stored, because reports compute them.
    /// </summary>
    public IReadOnlyList<Advice> Advice { get; init; } = [];

    /// <summary>Where the time of the server went. Null without <c>--profile</c>.</summary>
    public RunProfile? Profile { get; init; }
}
