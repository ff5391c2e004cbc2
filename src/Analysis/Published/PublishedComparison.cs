using IpcBench.Analysis.Metrics;

namespace IpcBench.Analysis.Published;

/// <summary>A published write-up: what it measured, its numbers, and the cells of a run that repeat its measurements.</summary>
public sealed record PublishedComparison
{
    /// <summary>Equals <see cref="Results.RunRecord.Scenario"/> of the runs that repeat the write-up.</summary>
    public required string Scenario { get; init; }

    public required string Title { get; init; }

    public required string Author { get; init; }

    public required int Year { get; init; }

    /// <summary>Address of the write-up.</summary>
    public required string Where { get; init; }

    /// <summary>What the write-up is quoted for, in a few words.</summary>
    public required string Claim { get; init; }

    /// <summary>What the write-up measured, and how.</summary>
    public required string Setup { get; init; }

    /// <summary>The machine that the write-up names.</summary>
    public required string Machine { get; init; }

    /// <summary>Whether only a run on Windows can repeat the write-up, because it compares transports of Windows.</summary>
    public bool IsOfWindows { get; init; }

    /// <summary>The command that repeats the measurement.</summary>
    public required string Command { get; init; }

    /// <summary>What could not be read or checked, and how the repeated measurement differs on purpose.</summary>
    public IReadOnlyList<string> Remarks { get; init; } = [];

    /// <summary>The metric that is shown next to a measured ratio, with the values of both cells.</summary>
    public required Metric Shown { get; init; }

    public IReadOnlyList<PublishedFigure> Figures { get; init; } = [];

    public IReadOnlyList<PublishedRatio> Ratios { get; init; } = [];

    public IReadOnlyList<IExplanation> Explanations { get; init; } = [];
}
