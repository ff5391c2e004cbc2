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

    /// <summary>Voluntary and involuntary context switches. 0 when the system does not report them.</summary>
    public long ContextSwitches { get; init; }

    /// <summary>
    /// Context switches of threads that had to wait. Each of them is followed by a wake-up, so this is the number of
    /// wake-ups. Null when the system does not report them.
    /// </summary>
    public long? VoluntarySwitches { get; init; }

    /// <summary>System calls of the process's own event loop. Null when .NET serves the sockets instead.</summary>
    public LoopUsage? Loop { get; init; }

    /// <summary>
    /// The calls that succeeded while this usage was counted. The usage is divided by this number. In files with
    /// <see cref="Measurement.Credited"/>, a usage of only the window is divided by the credited calls instead.
    /// </summary>
    public long Calls { get; init; }

    /// <summary>
    /// The calls by which a server's allocations and context switches are divided, if the CPU time comes from the
    /// system. The system's CPU time covers the window, but the server's counters include load before and after the
    /// window. 0 when they are also divided by <see cref="Calls"/>.
    /// </summary>
    public long CountedCalls { get; init; }
}
