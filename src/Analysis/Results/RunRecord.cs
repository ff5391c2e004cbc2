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

    /// <summary>The machine and runtime of the client.</summary>
    public required HostInfo Host { get; init; }

    /// <summary>One entry per server process; empty when no server tells about itself.</summary>
    public IReadOnlyList<ServerInfo> Servers { get; init; } = [];

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
