using System.Diagnostics;
using IpcBench.Analysis.Results;

namespace IpcBench.Client.Machine;

/// <summary>CPU time of the whole machine since it started, in ns summed over its CPUs; two of them make the usage between.</summary>
internal sealed partial record MachineSnapshot(long Timestamp, int Cpus, long IdleNs, long SoftIrqNs, long StealNs)
{
    /// <summary>Null where the system does not tell. One small file or one call: some 50 µs.</summary>
    public static MachineSnapshot? Take() => OperatingSystem.IsLinux() ? TakeLinux(new SystemFiles(), Stopwatch.GetTimestamp())
        : OperatingSystem.IsWindows() ? TakeWindows()
        : null;

    /// <summary>What the machine did from <paramref name="earlier"/> to <paramref name="later"/>; null when either is unknown.</summary>
    public static MachineUsage? Between(MachineSnapshot? earlier, MachineSnapshot? later)
    {
        if (earlier is null || later is null)
            return null;
        var capacity = (long)(Stopwatch.GetElapsedTime(earlier.Timestamp, later.Timestamp).TotalNanoseconds * later.Cpus);
        var steal = Math.Max(0, later.StealNs - earlier.StealNs);
        // Not the sum of user, system and interrupt time: most kernels charge those by looking at each timer tick, which misses what runs
        // between ticks. A ping-pong over a socket pair that used 2.46 s of CPU by both processes' exact clocks was 1.53 s by that sum and
        // 2.66 s as capacity less idle: idle time is measured (tick_nohz_stop_idle), not sampled. The steps are jiffies of 10 ms.
        var busy = Math.Clamp(capacity - (later.IdleNs - earlier.IdleNs) - steal, 0, capacity);
        return new MachineUsage { BusyNs = busy, SoftIrqNs = Math.Max(0, later.SoftIrqNs - earlier.SoftIrqNs), StealNs = steal, CapacityNs = capacity };
    }
}
