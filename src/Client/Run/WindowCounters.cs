using System.Diagnostics;
using IpcBench.Analysis.Results;
using IpcBench.Client.Engine;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Host;
using IpcBench.Protocol.V1;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Run;

/// <summary>
/// Reads all counters around one window. The counters of this machine and its processes are read from outside,
/// exactly at the window's edges. A server is asked for its own counters before and after all load, since a busy
/// server answers late.
/// </summary>
/// <param name="systemCalls">Returns the system calls of the client's event loops so far.</param>
internal sealed class WindowCounters(
    RunOptions options, ServerControl control, ServerOwner owner, Func<LoopCounts?> systemCalls, Action? begun = null)
    : IWindowEdges, IDisposable
{
    private readonly ProcessTree? tree = owner.Pids.Count == 0 ? null : new ProcessTree(owner.Pids);
    private UsageReply? serverBefore, serverAfter;
    private EdgeClocks? begin, end;
    private ProcessSnapshot? before, after;
    private LoopCounts? callsBefore, callsAfter;
    private IReadOnlyDictionary<int, ContextSwitches>? switchesBefore, switchesAfter;
    private OtherProcesses? othersBefore, othersAfter;
    private ConnectionSampler? sampler;

    private DateTimeOffset at;
    private IReadOnlyList<WatchedEndpoint> watched = [];

    /// <summary>
    /// True when the window is a slice. Then the CPU time of other processes is read around all slices of a round
    /// (<see cref="OthersMeter"/>). New processes are not searched for under a server of our own, since it starts
    /// none.
    /// </summary>
    public bool IsSlice { get; init; }

    /// <summary>Connections of other arms that are open to the same endpoint.</summary>
    public int ConnectionsBeside { get; init; }

    private bool IsSearched => !IsSlice || !owner.IsOurs;

    /// <summary>The usage of the whole machine. Null when the system does not tell.</summary>
    public MachineUsage? Machine => Usage.Between(begin?.Machine, end?.Machine) is not { } machine ? null
        : Others() is not { } others ? machine : Usage.With(machine, others);

    /// <summary>Called before any load. Asks the server for its counters, and looks for its processes.</summary>
    public async Task AskFirstAsync(CancellationToken cancellation)
    {
        serverBefore = await control.UsageAsync(cancellation);
        if (IsSearched)
            tree?.Find();
    }

    public void BeforeBegin()
    {
        begun?.Invoke();
        at = RunClock.Now;
        othersBefore = tree is null || IsSlice ? null : OtherProcesses.Read();
        sampler = ConnectionSampler.Begin(options.Watches);
        switchesBefore = ServerSwitches();
        before = ProcessSnapshot.Take();
        if (IsSearched)
            tree?.Find(); // processes that the server forked during the load before the window count from here
    }

    public void OnBegin()
    {
        callsBefore = systemCalls();
        begin = EdgeClocks.ReadAtBegin(tree);
    }

    public void OnEnd()
    {
        end = EdgeClocks.ReadAtEnd(tree);
        callsAfter = systemCalls();
    }

    public void AfterEnd()
    {
        after = ProcessSnapshot.Take();
        switchesAfter = ServerSwitches();
        watched = sampler?.Stop() ?? [];
        if (IsSearched && end!.Server is { } known)
            end = end with { Server = tree!.Complete(known) };
        othersAfter = tree is null || IsSlice ? null : OtherProcesses.Read();
    }

    /// <summary>Called when no call is in flight any more. Asks the server for its counters again.</summary>
    public async Task AskLastAsync() => serverAfter = await control.UsageAsync(CancellationToken.None);

    /// <summary>Returns all readings, once the window has ended.</summary>
    /// <param name="calls">The calls by which the CPU times are divided.</param>
    /// <param name="allOk">Successful calls between the two times at which the server was asked.</param>
    public WindowUsage Read(long calls, long allOk, Target target) => new()
    {
        At = at,
        Client = Client(calls),
        Server = Server(calls),
        Machine = Machine,
        Endpoint = Endpoint(allOk, target),
        Watched = watched,
        MethodsCompiled = after!.MethodsCompiled - before!.MethodsCompiled,
    };

    /// <summary>Computes the usage of this process in the window.</summary>
    public ProcessUsage Client(long calls) => Usage.Between(before!, after!, calls) with
    {
        CpuUserNs = Usage.Nanoseconds(end!.ClientUser - begin!.ClientUser),
        CpuKernelNs = Usage.Nanoseconds(end.ClientKernel - begin.ClientKernel),
        Loop = Usage.From(callsAfter - callsBefore),
    };

    /// <summary>
    /// CPU time of the server's processes in ns, from the system. Null where the system does not tell or the processes are unknown.
    /// </summary>
    public long? ServerCpuNs => Usage.Between(begin!.Server, end!.Server, 0) is { } seen ? seen.CpuUserNs + seen.CpuKernelNs : null;

    /// <summary>
    /// Computes the usage of the server. Its CPU time comes from the system, or else from the server itself. The
    /// other counters come from the server.
    /// </summary>
    public ProcessUsage? Server(long calls)
    {
        var told = ServerUsage.Between(serverBefore, serverAfter);
        if (Usage.Between(begin!.Server, end!.Server, calls) is not { } seen)
            return told;
        return told is null ? WithSwitches(seen) : told with
        {
            CpuUserNs = seen.CpuUserNs,
            CpuKernelNs = seen.CpuKernelNs,
            Calls = calls,
            CountedCalls = told.Calls,
        };
    }

    /// <summary>Returns the server's own counts. Null when it does not tell them.</summary>
    private EndpointTold? Endpoint(long ownCalls, Target target)
    {
        var (first, last) = serverBefore is null || serverAfter is null || ServerUsage.IsAnother(serverBefore, serverAfter)
            ? (null, null)
            : (ServerControl.EndpointOf(serverBefore, target.Address), ServerControl.EndpointOf(serverAfter, target.Address));
        return first is null || last is null ? null : new EndpointTold(
            // A connection is open for the client before the server has accepted it. A busy server may accept it
            // after the first reading.
            Math.Max(first.ConnectionsOpen, last.ConnectionsOpen) - control.OwnConnections(target.Address) - ConnectionsBeside,
            ownCalls,
            // An echo counts bytes, not calls.
            target.Protocol == ProtocolTable.Echo ? null : last.Calls - first.Calls);
    }

    public void Dispose() => sampler?.Dispose();

    /// <summary>Computes the CPU time of all processes except client and server. Null when the server's processes are unknown.</summary>
    private OtherUsage? Others() => othersBefore is null || othersAfter is null ? null
        : OtherProcesses.Between(othersBefore, othersAfter, [Environment.ProcessId, .. tree!.Members])
            .Within(Stopwatch.GetElapsedTime(begin!.Machine!.Timestamp, end!.Machine!.Timestamp));

    /// <summary>
    /// Reads the context switches of a server that does not report them itself. Threads that end during the window are missing.
    /// </summary>
    private IReadOnlyDictionary<int, ContextSwitches>? ServerSwitches() =>
        serverBefore is null && tree is not null ? ContextSwitches.OfThreads(tree.Members) : null;

    private ProcessUsage WithSwitches(ProcessUsage seen)
    {
        if (switchesBefore is null || switchesAfter is null)
            return seen;
        var switches = ContextSwitches.Between(switchesBefore, switchesAfter);
        return seen with { ContextSwitches = switches.Sum, VoluntarySwitches = switches.Voluntary };
    }
}

/// <summary>A server's own counts of one endpoint.</summary>
/// <param name="Open">Open connections of this measurement alone.</param>
/// <param name="ClientCalls">Successful calls by the client's count.</param>
/// <param name="Calls">Calls by the server's count. Null where the server counts none.</param>
internal sealed record EndpointTold(long Open, long ClientCalls, long? Calls)
{
    /// <summary>Adds the server's counts to the client's counts of its connections.</summary>
    public ConnectionStats Beside(ConnectionStats own) => own with
    {
        ServerOpen = own.OpenedInAll is not null ? null : Open,
        ClientCalls = ClientCalls,
        ServerCalls = Calls,
    };
}

/// <summary>The usage of both sides and of the machine in one window, or in several consecutive windows.</summary>
internal sealed record WindowUsage
{
    /// <summary>When the first window began.</summary>
    public required DateTimeOffset At { get; init; }

    public required ProcessUsage Client { get; init; }

    /// <summary>The usage of the server. Null when it is unknown.</summary>
    public required ProcessUsage? Server { get; init; }

    /// <summary>The usage of the whole machine. Null when the system does not tell.</summary>
    public required MachineUsage? Machine { get; init; }

    /// <summary>The server's own counts. Null when it does not tell them.</summary>
    public required EndpointTold? Endpoint { get; init; }

    /// <summary>The states of the watched sockets.</summary>
    public required IReadOnlyList<WatchedEndpoint> Watched { get; init; }

    /// <summary>Methods that this process's JIT compiler compiled meanwhile.</summary>
    public required long MethodsCompiled { get; init; }

    /// <summary>Adds a later window of the same cell.</summary>
    public WindowUsage Plus(WindowUsage later) => this with
    {
        Client = Usage.Sum(Client, later.Client)!,
        Server = Usage.Sum(Server, later.Server),
        Machine = Usage.Sum(Machine, later.Machine),
        Endpoint = Endpoint is null || later.Endpoint is null ? null : new EndpointTold(
            Math.Max(Endpoint.Open, later.Endpoint.Open), Endpoint.ClientCalls + later.Endpoint.ClientCalls,
            Endpoint.Calls + later.Endpoint.Calls),
        MethodsCompiled = MethodsCompiled + later.MethodsCompiled,
    };
}

/// <summary>
/// Measures the CPU time of other processes during sliced measurements. It is read once around all slices of a round,
/// since reading all processes takes milliseconds.
/// </summary>
/// <param name="owners">The processes of all measured servers.</param>
internal sealed class OthersMeter(IReadOnlyList<ServerOwner> owners)
{
    // The meter reads nothing if a server's processes are unknown, since their CPU time would count as that of other programs.
    private readonly OtherProcesses? before = owners.All(owner => owner.Pids.Count > 0) ? OtherProcesses.Read() : null;

    /// <summary>Reads all processes again.</summary>
    /// <returns>Null where the system does not tell.</returns>
    public OtherUsage? Read() => before is null || OtherProcesses.Read() is not { } after ? null
        : OtherProcesses.Between(before, after, [Environment.ProcessId, .. owners.SelectMany(owner => owner.Pids).Distinct()]);
}

/// <summary>Computes differences between two readings of the same counters, and sums of such differences.</summary>
internal static class Usage
{
    /// <summary>Computes the usage of this process. The working set is that of the later reading.</summary>
    public static ProcessUsage Between(ProcessSnapshot earlier, ProcessSnapshot later, long calls) => new()
    {
        CpuUserNs = Nanoseconds(later.User - earlier.User),
        CpuKernelNs = Nanoseconds(later.Kernel - earlier.Kernel),
        WorkingSetBytes = later.WorkingSetBytes,
        GcCollections = [.. later.GcCollections.Zip(earlier.GcCollections, (now, then) => now - then)],
        GcPauseNs = Nanoseconds(later.GcPause - earlier.GcPause),
        AllocatedBytes = later.AllocatedBytes - earlier.AllocatedBytes,
        ContextSwitches = later.Switches.Sum - earlier.Switches.Sum,
        VoluntarySwitches = later.Switches.Sum == 0 ? null : later.Switches.Voluntary - earlier.Switches.Voluntary,
        Calls = calls,
    };

    /// <summary>Converts the counts of the event loops. Null without an event loop.</summary>
    public static LoopUsage? From(LoopCounts? counts) => counts is not { } made ? null : new LoopUsage
    {
        Receives = made.Receives,
        EmptyReceives = made.EmptyReceives,
        Sends = made.Sends,
        Waits = made.Waits,
    };

    /// <summary>Computes the usage of other processes. Null when a reading is unknown or a named process ended.</summary>
    public static ProcessUsage? Between(TreeReading? earlier, TreeReading? later, long calls) =>
        earlier is null || later is null || TreeReading.Between(earlier, later) is not var (user, kernel) ? null : new ProcessUsage
        {
            CpuUserNs = user,
            CpuKernelNs = kernel,
            WorkingSetBytes = later.WorkingSetBytes,
            Calls = calls,
        };

    /// <summary>Adds two consecutive usages. Null when either is unknown.</summary>
    public static ProcessUsage? Sum(ProcessUsage? earlier, ProcessUsage? later) => earlier is null || later is null ? null : later with
    {
        CpuUserNs = earlier.CpuUserNs + later.CpuUserNs,
        CpuKernelNs = earlier.CpuKernelNs + later.CpuKernelNs,
        GcCollections = [.. earlier.GcCollections.Zip(later.GcCollections, (then, now) => then + now)],
        GcPauseNs = earlier.GcPauseNs + later.GcPauseNs,
        AllocatedBytes = earlier.AllocatedBytes + later.AllocatedBytes,
        ContextSwitches = earlier.ContextSwitches + later.ContextSwitches,
        VoluntarySwitches = earlier.VoluntarySwitches + later.VoluntarySwitches,
        Loop = earlier.Loop is not { } then || later.Loop is not { } now ? null : new LoopUsage
        {
            Receives = then.Receives + now.Receives,
            EmptyReceives = then.EmptyReceives + now.EmptyReceives,
            Sends = then.Sends + now.Sends,
            Waits = then.Waits + now.Waits,
        },
        Calls = earlier.Calls + later.Calls,
        CountedCalls = earlier.CountedCalls + later.CountedCalls,
    };

    /// <summary>Adds two usages of the machine, without other processes. Null when either is unknown.</summary>
    public static MachineUsage? Sum(MachineUsage? earlier, MachineUsage? later) => earlier is null || later is null ? null : new()
    {
        BusyNs = earlier.BusyNs + later.BusyNs,
        SoftIrqNs = earlier.SoftIrqNs + later.SoftIrqNs,
        StealNs = earlier.StealNs + later.StealNs,
        CapacityNs = earlier.CapacityNs + later.CapacityNs,
    };

    /// <summary>Adds the CPU time of other processes.</summary>
    public static MachineUsage With(MachineUsage machine, OtherUsage others) => machine with
    {
        // The sum is limited, since a process that ends while its file is read adds the CPU time of its whole life.
        OthersNs = Math.Min(others.TotalNs, machine.CapacityNs),
        KernelThreadsNs = others.KernelThreadsNs,
        Busiest = [.. others.Busiest.Select(one => new OtherProcess { Name = one.Name, Pid = one.Process, CpuNs = one.CpuNs })],
    };

    /// <summary>Computes the usage of the whole machine. Null when either reading is unknown.</summary>
    public static MachineUsage? Between(MachineSnapshot? earlier, MachineSnapshot? later) =>
        MachineSnapshot.Between(earlier, later) is not { } times ? null : new MachineUsage
        {
            BusyNs = times.BusyNs,
            SoftIrqNs = times.SoftIrqNs,
            StealNs = times.StealNs,
            CapacityNs = times.CapacityNs,
        };

    internal static long Nanoseconds(TimeSpan time) => time.Ticks * TimeSpan.NanosecondsPerTick;
}

/// <summary>Computes the server's usage between two of its replies.</summary>
internal static class ServerUsage
{
    /// <summary>Returns the difference of two replies. Null when a reply is missing or the replies are of different processes.</summary>
    public static ProcessUsage? Between(UsageReply? before, UsageReply? after) =>
        before is null || after is null || IsAnother(before, after) ? null : new ProcessUsage
        {
            CpuUserNs = after.CpuUserNs - before.CpuUserNs,
            CpuKernelNs = after.CpuKernelNs - before.CpuKernelNs,
            WorkingSetBytes = after.WorkingSetBytes,
            GcCollections = [.. after.GcCollections.Zip(before.GcCollections, (last, first) => last - first)],
            GcPauseNs = after.GcPauseNs - before.GcPauseNs,
            AllocatedBytes = after.AllocatedBytes - before.AllocatedBytes,
            ContextSwitches = after.ContextSwitches - before.ContextSwitches,
            VoluntarySwitches = before.HasVoluntarySwitches && after.HasVoluntarySwitches
                ? after.VoluntarySwitches - before.VoluntarySwitches : null,
            Calls = Calls(after) - Calls(before),
            Loop = Usage.From(Made(before.Loop, after.Loop)),
        };

    /// <summary>
    /// True when the server was restarted, so that it has another process number or a counter fell. The counters
    /// alone are not enough, since a new process may already have counted more than an old process that did little.
    /// </summary>
    public static bool IsAnother(UsageReply before, UsageReply after) =>
        after.Process != before.Process || Counters(after).Zip(Counters(before)).Any(pair => pair.First < pair.Second);

    private static IEnumerable<long> Counters(UsageReply usage) =>
    [
        usage.CpuUserNs, usage.CpuKernelNs, usage.AllocatedBytes, usage.GcPauseNs, usage.ContextSwitches, usage.VoluntarySwitches,
        usage.ContextSwitches - usage.VoluntarySwitches, Calls(usage), .. usage.GcCollections,
    ];

    /// <summary>Returns the difference of two counts. Null when the server tells no counts, or impossible ones.</summary>
    private static LoopCounts? Made(LoopCalls? before, LoopCalls? after)
    {
        if (before is null || after is null)
            return null;
        var made = new LoopCounts(after.Receives - before.Receives, after.EmptyReceives - before.EmptyReceives,
            after.Sends - before.Sends, after.Waits - before.Waits);
        return made.EmptyReceives < 0 || made.Receives < made.EmptyReceives || made.Sends < 0 || made.Waits < 0 ? null : made;
    }

    private static long Calls(UsageReply usage) => usage.Endpoints.Sum(endpoint => endpoint.Calls);
}
