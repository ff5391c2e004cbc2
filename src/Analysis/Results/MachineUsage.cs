namespace IpcBench.Analysis.Results;

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
