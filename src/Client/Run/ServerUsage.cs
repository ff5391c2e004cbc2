using IpcBench.Analysis.Results;
using IpcBench.Protocol.V1;

namespace IpcBench.Client.Run;

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
