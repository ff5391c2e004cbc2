using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Host;
using IpcBench.Protocol.V1;

namespace IpcBench.Client.Run;

/// <summary>
/// All counters around one window. What costs the asked process something is read first before it and last after it, so that the window
/// holds nothing but the load.
/// </summary>
internal sealed class WindowCounters : IDisposable
{
    private readonly IReadOnlyList<int> serverPids;
    private readonly ServerLink link;
    private readonly UsageReply? serverBefore;
    private readonly ProcessTree? treeBefore;
    private readonly ConnectionSampler? sampler;
    private readonly MachineSnapshot? machineBefore;
    private readonly ProcessSnapshot before;
    private UsageReply? serverAfter;
    private ProcessTree? treeAfter;
    private MachineSnapshot? machineAfter;
    private ProcessSnapshot? after;

    private WindowCounters(RunOptions options, ServerLink link, UsageReply? server)
    {
        (serverPids, this.link, serverBefore) = (options.ServerPids, link, server);
        treeBefore = ProcessTree.Take(serverPids);
        sampler = ConnectionSampler.Begin(options.Watches);
        machineBefore = MachineSnapshot.Take();
        before = ProcessSnapshot.Take();
    }

    /// <summary>What the sockets under watch were seen in.</summary>
    public IReadOnlyList<WatchedEndpoint> Watched { get; private set; } = [];

    /// <summary>By everything on this machine; null when it does not tell.</summary>
    public MachineUsage? Machine => Usage.Between(machineBefore, machineAfter);

    /// <summary>By the just-in-time compiler of this process meanwhile.</summary>
    public long MethodsCompiled => after!.MethodsCompiled - before.MethodsCompiled;

    /// <summary>Reads them; the window may begin.</summary>
    public static async Task<WindowCounters> BeginAsync(RunOptions options, ServerLink link, CancellationToken cancellation) =>
        new(options, link, await link.UsageAsync(cancellation));

    /// <summary>Reads them again; the window has ended.</summary>
    public async Task EndAsync()
    {
        after = ProcessSnapshot.Take();
        Watched = sampler?.Stop() ?? [];
        machineAfter = MachineSnapshot.Take();
        treeAfter = ProcessTree.Take(serverPids);
        serverAfter = await link.UsageAsync(CancellationToken.None);
    }

    /// <summary>What this process used for so many calls.</summary>
    public ProcessUsage Client(long calls) => Usage.Between(before, after!, calls);

    /// <summary>What the server used, as it tells itself, else as the system tells of the processes that were named.</summary>
    public ProcessUsage? Server(long calls) =>
        ServerUsage.Between(serverBefore, serverAfter) ?? Usage.Between(treeBefore, treeAfter, calls);

    /// <summary>The client's count of its connections, with the server's beside it where it tells.</summary>
    public ConnectionStats Connections(ConnectionStats own, Target target)
    {
        var (first, last) = serverBefore is null || serverAfter is null || ServerUsage.IsAnother(serverBefore, serverAfter)
            ? (null, null)
            : (ServerLink.EndpointOf(serverBefore, target.Address), ServerLink.EndpointOf(serverAfter, target.Address));
        return first is null || last is null ? own : own with
        {
            ServerOpen = own.OpenedInAll is not null ? null : first.ConnectionsOpen - link.OwnConnections(target.Address),
            // Bytes that come back are no calls to an echo.
            ServerCalls = target.Protocol == ProtocolTable.Echo ? null : last.Calls - first.Calls,
        };
    }

    public void Dispose() => sampler?.Dispose();
}

/// <summary>What was used between two readings of the same clock.</summary>
internal static class Usage
{
    /// <summary>By this process; the working set is the later one.</summary>
    public static ProcessUsage Between(ProcessSnapshot earlier, ProcessSnapshot later, long calls) => new()
    {
        CpuUserNs = Nanoseconds(later.User - earlier.User),
        CpuKernelNs = Nanoseconds(later.Kernel - earlier.Kernel),
        WorkingSetBytes = later.WorkingSetBytes,
        GcCollections = [.. later.GcCollections.Zip(earlier.GcCollections, (now, then) => now - then)],
        GcPauseNs = Nanoseconds(later.GcPause - earlier.GcPause),
        AllocatedBytes = later.AllocatedBytes - earlier.AllocatedBytes,
        ContextSwitches = later.ContextSwitches - earlier.ContextSwitches,
        Calls = calls,
    };

    /// <summary>By processes that are not ours; null when either is unknown or a named process ended.</summary>
    public static ProcessUsage? Between(ProcessTree? earlier, ProcessTree? later, long calls)
    {
        if (earlier is null || later is null || later.Roots < earlier.Roots)
            return null;
        if (later.UserNs < earlier.UserNs || later.KernelNs < earlier.KernelNs)
            return null;
        return new ProcessUsage
        {
            CpuUserNs = later.UserNs - earlier.UserNs,
            CpuKernelNs = later.KernelNs - earlier.KernelNs,
            WorkingSetBytes = later.WorkingSetBytes,
            Calls = calls,
        };
    }

    /// <summary>By the whole machine; null when either is unknown.</summary>
    public static MachineUsage? Between(MachineSnapshot? earlier, MachineSnapshot? later) =>
        MachineSnapshot.Between(earlier, later) is not { } times ? null : new MachineUsage
        {
            BusyNs = times.BusyNs,
            SoftIrqNs = times.SoftIrqNs,
            StealNs = times.StealNs,
            CapacityNs = times.CapacityNs,
        };

    private static long Nanoseconds(TimeSpan time) => time.Ticks * TimeSpan.NanosecondsPerTick;
}

/// <summary>What the server used between two of its replies.</summary>
internal static class ServerUsage
{
    /// <summary>
    /// The difference, or null when either reply is missing or they are not of the same process: its counters never fall.
    /// </summary>
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
            Calls = Calls(after) - Calls(before),
        };

    /// <summary>The server was restarted meanwhile.</summary>
    public static bool IsAnother(UsageReply before, UsageReply after) =>
        after.CpuUserNs < before.CpuUserNs || after.CpuKernelNs < before.CpuKernelNs || after.AllocatedBytes < before.AllocatedBytes
        || after.GcPauseNs < before.GcPauseNs || Calls(after) < Calls(before);

    private static long Calls(UsageReply usage) => usage.Endpoints.Sum(endpoint => endpoint.Calls);
}
