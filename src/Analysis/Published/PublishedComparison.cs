using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Published;

/// <summary>A published write-up: what was measured, its numbers, and the cells of a run that measure the same.</summary>
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

    /// <summary>What was measured and how.</summary>
    public required string Setup { get; init; }

    /// <summary>The machine that the write-up names.</summary>
    public required string Machine { get; init; }

    /// <summary>The command that repeats the measurement.</summary>
    public required string Command { get; init; }

    /// <summary>What could not be read or checked, and how the repeated measurement differs on purpose.</summary>
    public IReadOnlyList<string> Remarks { get; init; } = [];

    /// <summary>The metric whose measured values of both cells are shown next to a ratio.</summary>
    public required Metric Shown { get; init; }

    public IReadOnlyList<PublishedFigure> Figures { get; init; } = [];

    public IReadOnlyList<PublishedRatio> Ratios { get; init; } = [];

    public IReadOnlyList<IExplanation> Explanations { get; init; } = [];
}

/// <summary>All write-ups that this tool repeats, the oldest first. A new write-up needs one line here.</summary>
public static class WriteUps
{
    public static IReadOnlyList<PublishedComparison> All { get; } =
        [EchoWriteUp.Comparison, FlaskWriteUp.Comparison, FlaskWriteUp.Containers, StarletteWriteUp.Comparison, ArticleWriteUp.Comparison];

    /// <summary>Finds the write-up that a run repeats. Null for other runs.</summary>
    public static PublishedComparison? Find(string scenario) => All.FirstOrDefault(published => published.Scenario == scenario);
}

/// <summary>Explains a published difference with additional arms of the same run.</summary>
public interface IExplanation
{
    /// <summary>Computes the explanation. Null when the run lacks the necessary arms.</summary>
    Explained? Explain(MeasuredRun run, PublishedComparison published);
}

/// <summary>A computed explanation: a table, which may be empty, and sentences.</summary>
public sealed record Explained(string Title, TextTable Table, IReadOnlyList<string> Sentences);

/// <summary>A number in a published table, and the cell that measures the same.</summary>
/// <param name="What">The name of the row: <c>Unix socket, 1 MB</c>.</param>
/// <param name="Cell">The cell that measures the same.</param>
/// <param name="Value">The number in the metric's unit. Null when the number could not be read.</param>
/// <param name="Origin">How reliable the number is.</param>
public sealed record PublishedFigure(string What, CellChoice Cell, Metric Metric, double? Value,
    PublishedOrigin Origin = PublishedOrigin.Original)
{
    /// <summary>The value with its unit. – without a value.</summary>
    public string Text => Value is { } value ? Quantity.Show(value, Metric.Unit) : Quantity.None;
}

/// <summary>A published ratio of calls per second.</summary>
/// <param name="What">The name of the row: <c>Unix socket against TCP, 1 kB</c>.</param>
/// <param name="Cell">The cell of the numerator.</param>
/// <param name="Reference">The cell of the denominator.</param>
/// <param name="High">Upper end. Equal to the lower end if a single number was published.</param>
/// <param name="Origin">How reliable the ratio is. If the ratio could not be read, both ends are 0.</param>
public sealed record PublishedRatio(string What, CellChoice Cell, CellChoice Reference, double Low, double High,
    PublishedOrigin Origin = PublishedOrigin.Original)
{
    public bool IsKnown => Origin != PublishedOrigin.NotFound;

    /// <summary>The ratio as text: <c>1.10×</c> or <c>2.00× – 3.00×</c>.</summary>
    public string Text => !IsKnown ? Quantity.None : Low == High ? Quantity.Ratio(Low) : $"{Quantity.Ratio(Low)} – {Quantity.Ratio(High)}";
}

/// <summary>How reliable a published number is.</summary>
public enum PublishedOrigin
{
    /// <summary>The number was read in the write-up or its repository.</summary>
    Original,

    /// <summary>The number is quoted by somebody else who names the write-up. It is rounded and possibly wrong.</summary>
    SecondHand,

    /// <summary>The number is the one that the write-up is quoted for. It could not be read in the write-up.</summary>
    AsReported,

    /// <summary>The write-up has the number, but it could not be read.</summary>
    NotFound,
}

/// <summary>The measured cells that correspond to a published number. A member that is null allows any value.</summary>
public sealed record CellChoice
{
    public required string Protocol { get; init; }

    public required string Transport { get; init; }

    public string Variant { get; init; } = "";

    public long? Size { get; init; }

    public int? Connections { get; init; }

    public int? Streams { get; init; }

    public bool Fits(CellKey key) =>
        (key.Protocol, key.Transport, key.Variant, key.Load) == (Protocol, Transport, Variant, CellKey.FullLoad)
        && (Size ?? key.Size) == key.Size && (Connections ?? key.Connections) == key.Connections && (Streams ?? key.Streams) == key.Streams;

    /// <summary>Finds the first measured cell that fits and, if a client is given, has this client. Null when there is none.</summary>
    public MeasuredCell? In(MeasuredRun run, string? client = null) =>
        run.Cells.FirstOrDefault(cell => cell.Median is not null && Fits(cell.Key) && (client ?? cell.Key.Client) == cell.Key.Client);
}
