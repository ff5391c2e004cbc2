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

    /// <summary>
    /// Of them, those of threads that waited for something, which is how often they were woken; null where the system does not tell.
    /// </summary>
    public long? VoluntarySwitches { get; init; }

    /// <summary>Where this program's event loop serves the sockets: what it asked of the system; null elsewhere.</summary>
    public LoopUsage? Loop { get; init; }

    /// <summary>All calls this usage is divided by: every call the process finished well while it was counted.</summary>
    public long Calls { get; init; }

    /// <summary>
    /// The calls that allocations and context switches are divided by, where they were counted over another time than the CPU: as a server
    /// tells them; 0: <see cref="Calls"/>.
    /// </summary>
    public long CountedCalls { get; init; }
}

/// <summary>System calls of an event loop on its sockets, and for them.</summary>
public sealed record LoopUsage
{
    /// <summary>recv(2).</summary>
    public long Receives { get; init; }

    /// <summary>Of the receives, those that found nothing.</summary>
    public long EmptyReceives { get; init; }

    /// <summary>send(2) and sendmsg(2).</summary>
    public long Sends { get; init; }

    /// <summary>epoll_wait(2) and epoll_pwait2(2), those that returned at once too.</summary>
    public long Waits { get; init; }
}

/// <summary>A process whose CPU time, with that of its descendants, stands for the server's; or why there is none.</summary>
public sealed record ServerProcess
{
    /// <summary>The addresses of this run that it is the server of.</summary>
    public IReadOnlyList<string> Addresses { get; init; } = [];

    /// <summary>Null when <see cref="Reason"/> says why.</summary>
    public int? Pid { get; init; }

    /// <summary>What it is called, without its path.</summary>
    public string Name { get; init; } = "";

    /// <summary>Why no process was found whose CPU time is the server's, as a clause; empty when one was.</summary>
    public string Reason { get; init; } = "";
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

    /// <summary>
    /// CPU time that other processes used, summed over all that could be seen (threads of the kernel are not among them); null in older
    /// files, where the system does not tell, or where it is not known which process the server is.
    /// </summary>
    public long? OthersNs { get; init; }

    /// <summary>
    /// CPU time that threads of the kernel used, which work for whoever made them busy; null where <see cref="OthersNs"/> is, and in older
    /// files.
    /// </summary>
    public long? KernelThreadsNs { get; init; }

    /// <summary>The three of the other processes that used most.</summary>
    public IReadOnlyList<OtherProcess> Busiest { get; init; } = [];
}

/// <summary>A process that is neither client nor server.</summary>
public sealed record OtherProcess
{
    /// <summary>What it is called, without its path.</summary>
    public required string Name { get; init; }

    public required int Pid { get; init; }

    public required long CpuNs { get; init; }
}

/// <summary>What really happened to the connections of a round.</summary>
public sealed record ConnectionStats
{
    public required int Requested { get; init; }

    /// <summary>Open when the window began.</summary>
    public required int Opened { get; init; }

    /// <summary>Carried at least one call in the window.</summary>
    public required int Active { get; init; }

    /// <summary>Died during the round and opened again.</summary>
    public int Reopened { get; init; }

    /// <summary>Connects tried again because the accept queue was full.</summary>
    public long ConnectRetries { get; init; }

    public long FewestCalls { get; init; }
    public long MostCalls { get; init; }

    /// <summary>Jain's fairness index of the calls per connection, 1 is perfectly even (Jain, Chiu, Hawe 1984, DEC-TR-301).</summary>
    public double Fairness { get; init; }

    /// <summary>A connection for every call: how many were opened for the calls of the window; null where connections are kept.</summary>
    public long? OpenedInAll { get; init; }

    /// <summary>
    /// How long the connects took, in ns: 50th, 90th, 99th percentile and slowest; those of the calls where each has a connection of its
    /// own.
    /// </summary>
    public IReadOnlyList<long> ConnectTimesNs { get; init; } = [];

    /// <summary>
    /// Calls that a connection could have out at a time: what was asked for, or fewer when the server allows no more; null when the client
    /// does not know.
    /// </summary>
    public long? StreamsAllowed { get; init; }

    /// <summary>Connections the server says it held open for this endpoint, less the tool's own; null when it does not tell.</summary>
    public long? ServerOpen { get; init; }

    /// <summary>Calls the server says it answered for this endpoint while they were counted; null when it does not tell.</summary>
    public long? ServerCalls { get; init; }

    /// <summary>
    /// Calls that ended well for the client between the same two counts, load before and after the window included; null in older files,
    /// where they are the client's <see cref="ProcessUsage.Calls"/>.
    /// </summary>
    public long? ClientCalls { get; init; }
}

/// <summary>The connections of one listening endpoint by state, sampled from the system while a window was measured.</summary>
public sealed record WatchedEndpoint
{
    /// <summary>The name it was given: <c>--watch NAME=ADDRESS</c>.</summary>
    public required string Name { get; init; }

    public required string Address { get; init; }

    /// <summary>How often it was looked at: every 100 ms, or more rarely where a look takes long.</summary>
    public required int Samples { get; init; }

    /// <summary>
    /// Established, with bytes queued at either end, or (TCP alone) a request out: the server's last bytes came in later than its last went
    /// out.
    /// </summary>
    public required StateCount Active { get; init; }

    /// <summary>Established and silent.</summary>
    public required StateCount Idle { get; init; }

    /// <summary>Still connecting, or connected and not yet accepted by the server.</summary>
    public required StateCount Waiting { get; init; }

    /// <summary>Closed by one end or both, and not gone yet.</summary>
    public required StateCount Closing { get; init; }

    /// <summary>TCP connections that are over and whose ports are kept for a minute (TIME_WAIT).</summary>
    public required StateCount TimeWait { get; init; }
}

/// <summary>Connections found in one state over the samples of a window.</summary>
public sealed record StateCount
{
    public required double Mean { get; init; }
    public required long Max { get; init; }
}
