namespace IpcBench.Analysis.Results;

/// <summary>
/// The readings of each slice of a round, in the order of measuring. In a comparison, the slices with the same index (one
/// slice per cell) form a block. The slices of a block are measured one directly after another.
/// </summary>
public sealed record SliceReadings
{
    /// <summary>Planned length of a slice in s, without the load before and after it.</summary>
    public required double PlannedSeconds { get; init; }

    /// <summary>Requests/s of each slice: its credited calls divided by its measured length.</summary>
    public required IReadOnlyList<double> Rates { get; init; }

    /// <summary>
    /// CPU time of the client in ns per credited call. 0 for a slice without a credited call. Null when the CPU clock is
    /// too coarse for a slice.
    /// </summary>
    public IReadOnlyList<double>? ClientCpuNs { get; init; }

    /// <summary>
    /// CPU time of the server in ns per credited call. 0 for a slice without a credited call. Null when the CPU clock is
    /// too coarse for a slice, or the server's processes are unknown.
    /// </summary>
    public IReadOnlyList<double>? ServerCpuNs { get; init; }

    /// <summary>Place of each slice in its block, from 0.</summary>
    public required IReadOnlyList<int> Order { get; init; }
}
