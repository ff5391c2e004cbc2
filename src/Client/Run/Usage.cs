using IpcBench.Analysis.Results;
using IpcBench.Host;

namespace IpcBench.Client.Run;

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
