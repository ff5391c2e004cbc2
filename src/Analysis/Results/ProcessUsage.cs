namespace IpcBench.Analysis.Results;

/// <summary>CPU time, memory and other resources that the client or the server used during a round.</summary>
public sealed record ProcessUsage
{
    public required long CpuUserNs { get; init; }
    public required long CpuKernelNs { get; init; }
    public long WorkingSetBytes { get; init; }

    /// <summary>
    /// The numbers of garbage collections of generation 0, 1 and 2. A collection also counts in all lower generations.
    /// </summary>
    public IReadOnlyList<long> GcCollections { get; init; } = [];

    public long GcPauseNs { get; init; }
    public long AllocatedBytes { get; init; }

    /// <summary>Voluntary and involuntary context switches. 0 when the system does not report them.</summary>
    public long ContextSwitches { get; init; }

    /// <summary>
    /// Context switches of threads that had to wait. A wake-up follows each such switch, so this is the number of
    /// wake-ups. Null when the system does not report these switches.
    /// </summary>
    public long? VoluntarySwitches { get; init; }

    /// <summary>System calls of the process's own event loop. Null when .NET serves the sockets instead.</summary>
    public LoopUsage? Loop { get; init; }

    /// <summary>
    /// The number of calls that succeeded while this usage was counted. Reports divide the usage by this number. In files
    /// with <see cref="Measurement.Credited"/>, reports divide a usage that was counted in the window alone by the
    /// credited calls instead.
    /// </summary>
    public long Calls { get; init; }

    /// <summary>
    /// The calls by which a server's allocations and context switches are divided, if the CPU time comes from the
    /// system. The system's CPU time covers the window, but the server's counters include load before and after the
    /// window. 0 when all values are divided by the same number of calls.
    /// </summary>
    public long CountedCalls { get; init; }
}
