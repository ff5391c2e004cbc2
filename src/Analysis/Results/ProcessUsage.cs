namespace IpcBench.Analysis.Results;

/// <summary>What one process used during a round.</summary>
public sealed record ProcessUsage
{
    public required long CpuUserNs { get; init; }
    public required long CpuKernelNs { get; init; }
    public long WorkingSetBytes { get; init; }

    /// <summary>Collections by generation 0, 1, 2 (a collection of 2 counts in 0 and 1 too).</summary>
    public IReadOnlyList<long> GcCollections { get; init; } = [];

    public long GcPauseNs { get; init; }
    public long AllocatedBytes { get; init; }

    /// <summary>Voluntary and involuntary; 0 where the system does not tell.</summary>
    public long ContextSwitches { get; init; }

    /// <summary>All calls this usage is divided by: every call the process finished well while it was counted.</summary>
    public long Calls { get; init; }
}
