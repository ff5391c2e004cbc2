using IpcBench.Analysis.Results;
using IpcBench.Host;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Run;

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

    /// <summary>Computes the usage of a process tree. Null when a reading is unknown or a root of the tree has ended.</summary>
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

    /// <summary>Adds two usages of the machine, without the CPU time of other processes. Null when either is unknown.</summary>
    public static MachineUsage? Sum(MachineUsage? earlier, MachineUsage? later) => earlier is null || later is null ? null : new()
    {
        BusyNs = earlier.BusyNs + later.BusyNs,
        SoftIrqNs = earlier.SoftIrqNs + later.SoftIrqNs,
        StealNs = earlier.StealNs + later.StealNs,
        CapacityNs = earlier.CapacityNs + later.CapacityNs,
    };

    /// <summary>Adds the CPU time of other processes to a usage of the machine.</summary>
    public static MachineUsage With(MachineUsage machine, OtherUsage others) => machine with
    {
        // The sum is limited, since a process that ends while its times are read adds the CPU time of its whole life.
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
