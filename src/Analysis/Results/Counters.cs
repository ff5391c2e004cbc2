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

    /// <summary>System calls of this program's event loop. Null when its event loop does not serve the sockets.</summary>
    public LoopUsage? Loop { get; init; }

    /// <summary>
    /// The calls that succeeded while this usage was counted. The usage is divided by this number. In files with
    /// <see cref="Measurement.Credited"/>, a usage of the window alone is divided by the credited calls instead.
    /// </summary>
    public long Calls { get; init; }

    /// <summary>
    /// The calls by which allocations and context switches are divided, if these cover another time than the CPU time:
    /// a server's own counters include load before and after the window. 0 when they are divided by <see
    /// cref="Calls"/>.
    /// </summary>
    public long CountedCalls { get; init; }
}

/// <summary>System calls of an event loop for its sockets.</summary>
public sealed record LoopUsage
{
    /// <summary>Calls of recv(2).</summary>
    public long Receives { get; init; }

    /// <summary>Receives that found nothing.</summary>
    public long EmptyReceives { get; init; }

    /// <summary>Calls of send(2) and sendmsg(2).</summary>
    public long Sends { get; init; }

    /// <summary>Calls of epoll_wait(2) and epoll_pwait2(2), including calls that returned at once.</summary>
    public long Waits { get; init; }
}

/// <summary>
/// The process whose CPU time, with that of its descendants, counts as the server's. Otherwise the reason why there is
/// none.
/// </summary>
public sealed record ServerProcess
{
    /// <summary>The addresses of this run that the process serves.</summary>
    public IReadOnlyList<string> Addresses { get; init; } = [];

    /// <summary>The process id. Null when no process was found, and <see cref="Reason"/> says why.</summary>
    public int? Pid { get; init; }

    /// <summary>The name of the program, without its path.</summary>
    public string Name { get; init; } = "";

    /// <summary>Why no server process was found, as a clause. Empty when a process was found.</summary>
    public string Reason { get; init; } = "";
}

/// <summary>CPU time of the whole machine during a round, in ns summed over its CPUs.</summary>
public sealed record MachineUsage
{
    /// <summary>Time in which the CPUs were in use: user, nice, system, irq and softirq time.</summary>
    public required long BusyNs { get; init; }

    /// <summary>Time in softirq handlers. Loopback TCP receives there, and many kernels charge this time to no process.</summary>
    public long SoftIrqNs { get; init; }

    /// <summary>Time that the hypervisor gave to other machines (steal).</summary>
    public long StealNs { get; init; }

    /// <summary>The length of the measured time multiplied by the number of CPUs.</summary>
    public required long CapacityNs { get; init; }

    /// <summary>
    /// CPU time of all other visible processes, without kernel threads. Null in older files, when the system does not
    /// report it, or when the server's process is unknown.
    /// </summary>
    public long? OthersNs { get; init; }

    /// <summary>
    /// CPU time of kernel threads, which work for any process. Null in older files, and when <see cref="OthersNs"/> is null.
    /// </summary>
    public long? KernelThreadsNs { get; init; }

    /// <summary>The three other processes that used the most CPU time.</summary>
    public IReadOnlyList<OtherProcess> Busiest { get; init; } = [];
}

/// <summary>A process that is neither the client nor the server.</summary>
public sealed record OtherProcess
{
    /// <summary>The name of the program, without its path.</summary>
    public required string Name { get; init; }

    public required int Pid { get; init; }

    public required long CpuNs { get; init; }
}

/// <summary>What happened to the connections of a round.</summary>
public sealed record ConnectionStats
{
    public required int Requested { get; init; }

    /// <summary>Connections that were open when the window began.</summary>
    public required int Opened { get; init; }

    /// <summary>Connections that carried at least one call in the window.</summary>
    public required int Active { get; init; }

    /// <summary>Connections that failed during the round and were opened again.</summary>
    public int Reopened { get; init; }

    /// <summary>Connects that were retried because the accept queue was full.</summary>
    public long ConnectRetries { get; init; }

    public long FewestCalls { get; init; }
    public long MostCalls { get; init; }

    /// <summary>Jain's fairness index of the calls per connection. 1 is perfectly even (Jain, Chiu, Hawe 1984, DEC-TR-301).</summary>
    public double Fairness { get; init; }

    /// <summary>
    /// With a connection per call, the connections opened for the calls of the window. Null when connections stay open.
    /// </summary>
    public long? OpenedInAll { get; init; }

    /// <summary>
    /// How long connects took, in ns: 50th, 90th and 99th percentile, and slowest. With a connection per call, these are
    /// the connects of the calls.
    /// </summary>
    public IReadOnlyList<long> ConnectTimesNs { get; init; } = [];

    /// <summary>
    /// Calls that a connection could have in flight: the requested streams, or fewer if the server allows fewer. Null
    /// when the client does not know.
    /// </summary>
    public long? StreamsAllowed { get; init; }

    /// <summary>
    /// Open connections of this endpoint by the server's own count, without the tool's connections that carry no load.
    /// Null when the server does not report them.
    /// </summary>
    public long? ServerOpen { get; init; }

    /// <summary>
    /// Calls of this endpoint that the server answered between two readings of its counters, before and after the load.
    /// Null when the server does not report them.
    /// </summary>
    public long? ServerCalls { get; init; }

    /// <summary>
    /// Calls that succeeded by the client's count between the two readings of the server's counters. They include load
    /// before and after the window. Null in older files, where this number equals the client's <see
    /// cref="ProcessUsage.Calls"/>.
    /// </summary>
    public long? ClientCalls { get; init; }
}

/// <summary>The connections of a listening endpoint by state, sampled from the system during a window.</summary>
public sealed record WatchedEndpoint
{
    /// <summary>The name given in <c>--watch NAME=ADDRESS</c>.</summary>
    public required string Name { get; init; }

    public required string Address { get; init; }

    /// <summary>The number of samples. There is one every 100 ms, or fewer when a sample takes long.</summary>
    public required int Samples { get; init; }

    /// <summary>
    /// Established connections with bytes queued at either end or (TCP only) with a request in flight. A request is in
    /// flight if the server received data after it last sent data.
    /// </summary>
    public required StateCount Active { get; init; }

    /// <summary>Established connections without traffic.</summary>
    public required StateCount Idle { get; init; }

    /// <summary>Connections that are still connecting, or that the server has not accepted yet.</summary>
    public required StateCount Waiting { get; init; }

    /// <summary>Connections that one end or both have closed but the system still holds.</summary>
    public required StateCount Closing { get; init; }

    /// <summary>TCP connections that are closed and whose ports stay reserved for a minute (TIME_WAIT).</summary>
    public required StateCount TimeWait { get; init; }
}

/// <summary>The number of connections in one state over the samples of a window.</summary>
public sealed record StateCount
{
    public required double Mean { get; init; }
    public required long Max { get; init; }
}
