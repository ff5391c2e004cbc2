using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Published;

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
