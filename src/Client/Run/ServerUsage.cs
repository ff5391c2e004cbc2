using IpcBench.Analysis.Results;
using IpcBench.Protocol.V1;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Run;

/// <summary>Computes what a server used between two reports of its counters (<see cref="UsageReply"/>).</summary>
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
    /// True when the server was restarted: its process id has changed, or a counter fell. The counters alone do not
    /// show this, since a new process may already have counted more than an old process that did little.
    /// </summary>
    public static bool IsAnother(UsageReply before, UsageReply after) =>
        after.Process != before.Process || Counters(after).Zip(Counters(before)).Any(pair => pair.First < pair.Second);

    private static IEnumerable<long> Counters(UsageReply usage) =>
    [
        usage.CpuUserNs, usage.CpuKernelNs, usage.AllocatedBytes, usage.GcPauseNs, usage.ContextSwitches, usage.VoluntarySwitches,
        usage.ContextSwitches - usage.VoluntarySwitches, Calls(usage), .. usage.GcCollections,
    ];

    /// <summary>Returns the system calls between two counts. Null when the server reports no counts, or impossible counts.</summary>
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
