namespace IpcBench.Analysis.Results;

/// <summary>The options that affect results. An option that the user did not give has its default.</summary>
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

    /// <summary>Whether the user requested <see cref="DurationNs"/> (<c>-d</c>). If not, windows with slow calls could be longer.</summary>
    public bool DurationFixed { get; init; }

    /// <summary>The number of calls after which a measurement ends. 0 when a measurement ends after a time.</summary>
    public long Calls { get; init; }

    public required long WarmupNs { get; init; }

    /// <summary>
    /// Whether each round had server processes of its own. Otherwise all rounds share the same processes, and intervals
    /// do not include the differences between starts of the servers.
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
    /// Whether the run could stop early, depending on its results. If so, the intervals are corrected for a look at the
    /// results after every round.
    /// </summary>
    public bool RoundsAuto { get; init; }

    /// <summary>
    /// Numbers of rounds after which the user looked at the results and requested more rounds (<c>--resume</c>). The
    /// last entry is the requested number of rounds. Intervals are corrected for these looks. Empty without
    /// <c>--resume</c>.
    /// </summary>
    public IReadOnlyList<int> Looks { get; init; } = [];

    /// <summary>
    /// The settings of client and server that affect results (knobs), as text: <c>http2-window</c> → <c>16777216</c>. Settings
    /// with their default value are included.
    /// </summary>
    public IReadOnlyDictionary<string, string> Knobs { get; init; } = new Dictionary<string, string>();

    /// <summary>
    /// Whether the number of rounds could depend on the results. Intervals must then hold at every look at the results.
    /// </summary>
    public bool IsLookedAt() => RoundsAuto || Looks.Count > 0;
}
