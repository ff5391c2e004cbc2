using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
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

/// <summary>One number of a published table and the cell that measures the same here.</summary>
/// <param name="What">The row, as people say it: <c>Unix socket, 1 MB</c>.</param>
/// <param name="Cell">Where the same is measured.</param>
/// <param name="Metric">What the number is.</param>
/// <param name="Value">In the metric's unit; null where it could not be read.</param>
/// <param name="Origin">How well it is known.</param>
public sealed record PublishedFigure(string What, CellChoice Cell, Metric Metric, double? Value,
    PublishedOrigin Origin = PublishedOrigin.Original)
{
    /// <summary>The value with its unit, – when there is none.</summary>
    public string Text => Value is { } value ? Quantity.Show(value, Metric.Unit) : Quantity.None;
}

/// <summary>A published claim of how many times as fast one thing is as another, by calls per second.</summary>
/// <param name="What">The row, as people say it: <c>Unix socket against TCP, 1 kB</c>.</param>
/// <param name="Cell">Where the one is measured.</param>
/// <param name="Reference">Where the other is measured.</param>
/// <param name="Low">Lower end of what is claimed.</param>
/// <param name="High">Upper end; equal to the lower where one number is claimed.</param>
/// <param name="Origin">How well it is known; both ends are 0 where it was not found.</param>
public sealed record PublishedRatio(string What, CellChoice Cell, CellChoice Reference, double Low, double High,
    PublishedOrigin Origin = PublishedOrigin.Original)
{
    public bool IsKnown => Origin != PublishedOrigin.NotFound;

    /// <summary><c>1.10×</c> or <c>2.00× – 3.00×</c>.</summary>
    public string Text => !IsKnown ? Quantity.None : Low == High ? Quantity.Ratio(Low) : $"{Quantity.Ratio(Low)} – {Quantity.Ratio(High)}";
}

/// <summary>How well a published number is known here.</summary>
public enum PublishedOrigin
{
    /// <summary>Read in the write-up or its repository.</summary>
    Original,

    /// <summary>Quoted by somebody else who names the write-up; rounded, perhaps mistaken.</summary>
    SecondHand,

    /// <summary>What the write-up is quoted for; the number itself could not be read.</summary>
    AsReported,

    /// <summary>The write-up has it, and it could not be read.</summary>
    NotFound,
}

/// <summary>Which measured cell a published number corresponds to; what is null may be anything.</summary>
public sealed record CellChoice
{
    public required string Protocol { get; init; }

    public required string Transport { get; init; }

    public string Variant { get; init; } = "";

    public long? Size { get; init; }

    public int? Connections { get; init; }

    public int? Streams { get; init; }

    public bool Fits(CellKey key) =>
        (key.Protocol, key.Transport, key.Variant, key.Load) == (Protocol, Transport, Variant, "max")
        && (Size ?? key.Size) == key.Size && (Connections ?? key.Connections) == key.Connections && (Streams ?? key.Streams) == key.Streams;

    /// <summary>The first measured cell that fits, of this client where one is named; null when there is none.</summary>
    public MeasuredCell? In(MeasuredRun run, string? client = null) =>
        run.Cells.FirstOrDefault(cell => cell.Median != null && Fits(cell.Key) && (client ?? cell.Key.Client) == cell.Key.Client);
}
