using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Published;

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

    /// <summary>
    /// Finds the first measured cell that fits and, if a client is given, has this client. Null when there is none. The write-ups used
    /// named pipes of Windows, so on other systems no cell of the transport <c>pipe</c> fits.
    /// </summary>
    public MeasuredCell? In(MeasuredRun run, string? client = null) => Transport == "pipe" && !run.HasNamedPipes ? null
        : run.Cells.FirstOrDefault(cell => cell.Median is not null && Fits(cell.Key) && (client ?? cell.Key.Client) == cell.Key.Client);
}
