namespace IpcBench.Analysis.Results;

/// <summary>The options that shaped the numbers, with defaults filled in.</summary>
public sealed record RunOptionsRecord
{
    /// <summary>Rounds planned; 0 when the tool decides (<c>--rounds auto</c>).</summary>
    public required int Rounds { get; init; }

    /// <summary>Nominal length of one measurement in ns; 0 when a number of calls ends it.</summary>
    public required long DurationNs { get; init; }

    /// <summary>Calls of one measurement; 0 when its length ends it.</summary>
    public long Calls { get; init; }

    public required long WarmupNs { get; init; }

    /// <summary>How long each server was loaded before the first round, in ns; nothing of it is kept.</summary>
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

    /// <summary>Every knob that moves results, as text: <c>http2-window</c> → <c>16777216</c>.</summary>
    public IReadOnlyDictionary<string, string> Knobs { get; init; } = new Dictionary<string, string>();
}
