using IpcBench.Analysis.Records;
using IpcBench.Protocol.V1;

namespace IpcBench.Client.Run;

/// <summary>What the server used between two of its replies.</summary>
internal static class ServerUsage
{
    /// <summary>The difference, or null when either reply is missing.</summary>
    public static ProcessUsage? Between(UsageReply? before, UsageReply? after) => before is null || after is null ? null : new ProcessUsage
    {
        CpuUserNs = after.CpuUserNs - before.CpuUserNs,
        CpuKernelNs = after.CpuKernelNs - before.CpuKernelNs,
        WorkingSetBytes = after.WorkingSetBytes,
        GcCollections = [.. after.GcCollections.Zip(before.GcCollections, (last, first) => last - first)],
        GcPauseNs = after.GcPauseNs - before.GcPauseNs,
        AllocatedBytes = after.AllocatedBytes - before.AllocatedBytes,
        ContextSwitches = after.ContextSwitches - before.ContextSwitches,
        Calls = after.Endpoints.Sum(endpoint => endpoint.Calls) - before.Endpoints.Sum(endpoint => endpoint.Calls),
    };
}
