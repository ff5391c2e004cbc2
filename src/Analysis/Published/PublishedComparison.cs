using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Published;

/// <summary>One write-up that people quote: what it measured, what it published, and which of our cells measure the same.</summary>
public sealed record PublishedComparison
{
    /// <summary>Equals <see cref="Results.RunRecord.Scenario"/> of the runs that repeat it.</summary>
    public required string Scenario { get; init; }

    public required string Title { get; init; }

    public required string Author { get; init; }

    public required int Year { get; init; }

    /// <summary>Address of the write-up.</summary>
    public required string Where { get; init; }

    /// <summary>What it is quoted for, in a few words.</summary>
    public required string Claim { get; init; }

    /// <summary>What was measured and how.</summary>
    public required string Setup { get; init; }

    /// <summary>The machine that the write-up names.</summary>
    public required string Machine { get; init; }

    /// <summary>The one command that repeats it.</summary>
    public required string Command { get; init; }

    /// <summary>What could not be read or checked, and what differs here on purpose.</summary>
    public IReadOnlyList<string> Remarks { get; init; } = [];

    /// <summary>What stands beside a ratio as the measured values of both sides.</summary>
    public required Metric Shown { get; init; }

    public IReadOnlyList<PublishedFigure> Figures { get; init; } = [];

    public IReadOnlyList<PublishedRatio> Ratios { get; init; } = [];

    public IReadOnlyList<IExplanation> Explanations { get; init; } = [];
}

/// <summary>Every write-up that this tool repeats, oldest first: a new one is one line here.</summary>
public static class WriteUps
{
    public static IReadOnlyList<PublishedComparison> All { get; } =
        [EchoWriteUp.Comparison, FlaskWriteUp.Comparison, FlaskWriteUp.Containers, StarletteWriteUp.Comparison, ArticleWriteUp.Comparison];

    /// <summary>The one that a run repeats; null for a run of its own.</summary>
    public static PublishedComparison? Find(string scenario) => All.FirstOrDefault(published => published.Scenario == scenario);
}

/// <summary>Says by further arms of the same run where a published difference comes from.</summary>
public interface IExplanation
{
    /// <summary>Null when the run lacks what it takes.</summary>
    Explained? Of(MeasuredRun run, PublishedComparison published);
}

/// <summary>An explanation that was computed: a table, which may be empty, and what it says in words.</summary>
public sealed record Explained(string Title, TextTable Table, IReadOnlyList<string> Sentences);
