using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;

namespace IpcBench.Host;

/// <summary>
/// CPU time of the whole machine since its start, in ns summed over its CPUs.
/// <see cref="Between"/> gives the usage between two snapshots.
/// </summary>
public sealed partial record MachineSnapshot(long Timestamp, int Cpus, long IdleNs, long SoftIrqNs, long StealNs)
{
    private const long JiffyNs = 10_000_000; // USER_HZ, the unit of /proc/stat, is 100 on every architecture that .NET supports

    /// <summary>
    /// Takes a snapshot by reading one small file or making one call, which takes some 50 µs. Null when the system does
    /// not report the times.
    /// </summary>
    public static MachineSnapshot? Take() => OperatingSystem.IsLinux() ? TakeLinux(new SystemFiles(), Stopwatch.GetTimestamp())
        : OperatingSystem.IsWindows() ? TakeWindows()
        : null;

    /// <summary>
    /// Computes the usage from <paramref name="earlier"/> to <paramref name="later"/>. Null when one of the snapshots is null.
    /// </summary>
    public static MachineTimes? Between(MachineSnapshot? earlier, MachineSnapshot? later)
    {
        if (earlier is null || later is null)
            return null;
        var capacity = (long)(Stopwatch.GetElapsedTime(earlier.Timestamp, later.Timestamp).TotalNanoseconds * later.Cpus);
        var steal = Math.Max(0, later.StealNs - earlier.StealNs);
        // Busy time is capacity less idle and stolen time. The sum of user, system and interrupt time would be too low: most
        // kernels sample these three at each timer tick and miss what runs between ticks. Idle time is measured exactly
        // (tick_nohz_stop_idle). For example, a ping-pong over a socket pair used 2.46 s of CPU by the exact clocks of both
        // processes. The sum gave 1.53 s, and capacity less idle time gave 2.66 s. Idle time has steps of 10 ms (a jiffy).
        var busy = Math.Clamp(capacity - (later.IdleNs - earlier.IdleNs) - steal, 0, capacity);
        return new MachineTimes(busy, Math.Max(0, later.SoftIrqNs - earlier.SoftIrqNs), steal, capacity);
    }

    /// <summary>Reads the first line of /proc/stat (proc_stat(5)). Null when the line is not there.</summary>
    internal static MachineSnapshot? TakeLinux(ISystemFiles files, long timestamp)
    {
        var lines = files.Read("/proc/stat").Split('\n');
        var words = lines[0].Split(' ', StringSplitOptions.RemoveEmptyEntries);
        if (words is not ["cpu", _, _, _, var idle, var wait, _, var soft, var steal, ..])
            return null;
        var cpus = lines.Count(line => line.StartsWith("cpu", StringComparison.Ordinal)) - 1;
        return new MachineSnapshot(timestamp, cpus, Jiffies(idle) + Jiffies(wait), Jiffies(soft), Jiffies(steal));
    }

    private static long Jiffies(string text) => long.TryParse(text, CultureInfo.InvariantCulture, out var value) ? value * JiffyNs : 0;

    // GetSystemTimes counts in steps of the clock interrupt (up to 15.6 ms). GetSystemTimes does not report interrupt and steal time.
    private static MachineSnapshot? TakeWindows()
    {
        var timestamp = Stopwatch.GetTimestamp();
        return GetSystemTimes(out var idle, out _, out _)
            ? new MachineSnapshot(timestamp, HostFacts.ActiveProcessors(), idle * TimeSpan.NanosecondsPerTick, 0, 0)
            : null;
    }

    [LibraryImport("kernel32")]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool GetSystemTimes(out long idle, out long kernel, out long user);
}
