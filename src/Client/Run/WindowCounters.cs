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
/// Reads all counters around one window. CPU times are read from the system exactly at the window's edges. The system's
/// other counters are read shortly before and after the window. A server is asked for its own counters before and after
/// all load, since a busy server answers late.
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
    /// True when the window is a slice. <see cref="OthersMeter"/> then reads the CPU time of other processes, once for
    /// all slices of a round. New processes of the server are then searched for only if the server may start processes.
    /// </summary>
    public bool IsSlice { get; init; }

    /// <summary>Connections of other arms that are open to the same endpoint.</summary>
    public int ConnectionsBeside { get; init; }

    private bool IsSearched => !IsSlice || owner.MayFork;

    /// <summary>When the window was measured.</summary>
    public WindowSpan Span => new(begin!.Timestamp, end!.Timestamp);

    /// <summary>The usage of the whole machine. Null when the system does not report it.</summary>
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
        sampler?.Dispose();
        sampler = ConnectionSampler.Begin(options.Watches);
        switchesBefore = ServerSwitches();
        before = ProcessSnapshot.Take();
        if (IsSearched)
            tree?.Find(); // adds processes that the server forked under the load before the window
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
    /// <param name="calls">The number of calls by which CPU times will be divided.</param>
    /// <param name="allOk">Successful calls between the two times at which the server was asked for its counters.</param>
    public WindowUsage Read(long calls, long allOk, Target target) => new()
    {
        At = at,
        Client = Client(calls),
        Server = Server(calls, allOk),
        Machine = Machine,
        Endpoint = Endpoint(allOk, target),
        Watched = watched,
        MethodsCompiled = after!.MethodsCompiled - before!.MethodsCompiled,
    };

    /// <summary>Computes the usage of this process in the window.</summary>
    public ProcessUsage Client(long calls) => Usage.Between(before!, after!, calls) with
    {
        CpuUserNs = Usage.Nanoseconds(end!.Client.UserTime - begin!.Client.UserTime),
        CpuKernelNs = Usage.Nanoseconds(end.Client.PrivilegedTime - begin.Client.PrivilegedTime),
        Loop = Usage.From(callsAfter - callsBefore),
    };

    /// <summary>
    /// CPU time of the server's processes in ns, from the system. Null if the system does not report it or the processes are unknown.
    /// </summary>
    public long? ServerCpuNs => Usage.Between(begin!.Server, end!.Server, 0) is { } seen ? seen.CpuUserNs + seen.CpuKernelNs : null;

    /// <summary>
    /// Computes the usage of the server. The CPU time is read from the system if possible, otherwise the server reports
    /// it. The other counters come from the server's report. Without a report, only the counters of the system are known.
    /// </summary>
    public ProcessUsage? Server(long calls, long allOk)
    {
        var told = ServerUsage.Between(serverBefore, serverAfter);
        if (Usage.Between(begin!.Server, end!.Server, calls) is not { } seen)
            return told is { Calls: 0 } ? told with { Calls = allOk } : told;
        return told is null ? WithSwitches(seen) : told with
        {
            CpuUserNs = seen.CpuUserNs,
            CpuKernelNs = seen.CpuKernelNs,
            Calls = calls,
            CountedCalls = told.Calls > 0 ? told.Calls : allOk, // an echo server counts bytes, not calls
        };
    }

    /// <summary>Returns the server's own counts. Null when the server does not report them.</summary>
    private EndpointTold? Endpoint(long ownCalls, Target target)
    {
        var (first, last) = serverBefore is null || serverAfter is null || ServerUsage.IsAnother(serverBefore, serverAfter)
            ? (null, null)
            : (ServerControl.EndpointOf(serverBefore, target.Address), ServerControl.EndpointOf(serverAfter, target.Address));
        return first is null || last is null ? null : new EndpointTold(
            // For the client, a connection is open before the server has accepted it. A busy server may accept a connection
            // only after the first reading, so the larger count is used.
            Math.Max(first.ConnectionsOpen, last.ConnectionsOpen) - control.OwnConnections(target.Address) - ConnectionsBeside,
            ownCalls,
            // An echo server counts bytes, not calls.
            target.Protocol == ProtocolTable.Echo ? null : last.Calls - first.Calls);
    }

    public void Dispose() => sampler?.Dispose();

    /// <summary>Computes the CPU time of all processes except client and server. Null if it is unknown, and in a slice.</summary>
    private OtherUsage? Others() => othersBefore is null || othersAfter is null ? null
        : OtherProcesses.Between(othersBefore, othersAfter, [Environment.ProcessId, .. tree!.Members])
            .Within(Stopwatch.GetElapsedTime(begin!.Machine!.Timestamp, end!.Machine!.Timestamp));

    /// <summary>
    /// Reads the context switches of a server that does not report them itself. Threads that end during the window are
    /// not counted.
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
