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

/// <summary>CPU time of the whole machine during a round, in ns summed over its CPUs.</summary>
public sealed record MachineUsage
{
    /// <summary>User, nice, system, irq and softirq time of every process and of none.</summary>
    public required long BusyNs { get; init; }

    /// <summary>Time in interrupt handlers: loopback TCP does receive work there, charged to nobody in particular.</summary>
    public long SoftIrqNs { get; init; }

    /// <summary>Time the hypervisor gave to others.</summary>
    public long StealNs { get; init; }

    /// <summary>Length of the measured span times the number of CPUs.</summary>
    public required long CapacityNs { get; init; }
}
