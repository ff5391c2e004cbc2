namespace IpcBench.Analysis.Results;

/// <summary>CPU time of the whole machine during a round, in ns summed over its CPUs.</summary>
public sealed record MachineUsage
{
    /// <summary>Time in which the CPUs were in use: user, nice, system, irq and softirq time.</summary>
    public required long BusyNs { get; init; }

    /// <summary>Time in softirq handlers, which receive the packets of loopback TCP. Many kernels charge this time to no process.</summary>
    public long SoftIrqNs { get; init; }

    /// <summary>Time that the hypervisor gave to other virtual machines (steal).</summary>
    public long StealNs { get; init; }

    /// <summary>The length of the measured time multiplied by the number of CPUs.</summary>
    public required long CapacityNs { get; init; }

    /// <summary>
    /// CPU time of all visible processes except the client, the server and kernel threads. Null in older files, when the
    /// system does not report this time, or when the server's process is unknown.
    /// </summary>
    public long? OthersNs { get; init; }

    /// <summary>
    /// CPU time of kernel threads, which work for any process. Null in older files, and when <see cref="OthersNs"/> is null.
    /// </summary>
    public long? KernelThreadsNs { get; init; }

    /// <summary>The processes that used the most CPU time, without client and server: at most three.</summary>
    public IReadOnlyList<OtherProcess> Busiest { get; init; } = [];
}
