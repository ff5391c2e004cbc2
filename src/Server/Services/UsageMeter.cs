using IpcBench.Host;
using IpcBench.Protocol.V1;
using IpcBench.Server.Endpoints;

namespace IpcBench.Server.Services;

/// <summary>Answers <c>Control.Usage</c>: what this process has used and served since it started.</summary>
internal static class UsageMeter
{
    public static UsageReply Read(IEnumerable<ServerEndpoint> endpoints)
    {
        const long nsPerTick = 100;
        var (cpu, switches) = (Environment.CpuUsage, ContextSwitches.Own());
        var reply = new UsageReply
        {
            CpuUserNs = cpu.UserTime.Ticks * nsPerTick,
            CpuKernelNs = cpu.PrivilegedTime.Ticks * nsPerTick,
            WorkingSetBytes = Environment.WorkingSet,
            GcPauseNs = GC.GetTotalPauseDuration().Ticks * nsPerTick,
            AllocatedBytes = GC.GetTotalAllocatedBytes(),
            ContextSwitches = switches.Sum,
        };
        if (switches.Sum > 0)
            reply.VoluntarySwitches = switches.Voluntary;
        for (var generation = 0; generation <= GC.MaxGeneration; generation++)
            reply.GcCollections.Add(GC.CollectionCount(generation));
        reply.Endpoints.Add(endpoints.Select(endpoint => new EndpointUsage
        {
            Address = endpoint.Address.ToString(),
            Kind = endpoint.Address.Kind,
            Calls = endpoint.Counters.Calls,
            ConnectionsOpened = endpoint.Counters.ConnectionsOpened,
            ConnectionsOpen = endpoint.Counters.ConnectionsOpen,
        }));
        return reply;
    }
}
