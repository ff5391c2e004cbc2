using System.Diagnostics;
using System.Globalization;
using System.Runtime;
using System.Runtime.InteropServices;

namespace IpcBench.Host;

/// <summary>CPU time of the whole machine since it started, in ns summed over its CPUs; two of them make the usage between.</summary>
public sealed partial record MachineSnapshot(long Timestamp, int Cpus, long IdleNs, long SoftIrqNs, long StealNs)
{
    private const long JiffyNs = 10_000_000;    // USER_HZ, the unit of /proc/stat, is 100 on every architecture .NET runs on

    /// <summary>Null where the system does not tell. One small file or one call: some 50 µs.</summary>
    public static MachineSnapshot? Take() => OperatingSystem.IsLinux() ? TakeLinux(new SystemFiles(), Stopwatch.GetTimestamp())
        : OperatingSystem.IsWindows() ? TakeWindows()
        : null;

    /// <summary>What the machine did from <paramref name="earlier"/> to <paramref name="later"/>; null when either is unknown.</summary>
    public static MachineTimes? Between(MachineSnapshot? earlier, MachineSnapshot? later)
    {
        if (earlier is null || later is null)
            return null;
        var capacity = (long)(Stopwatch.GetElapsedTime(earlier.Timestamp, later.Timestamp).TotalNanoseconds * later.Cpus);
        var steal = Math.Max(0, later.StealNs - earlier.StealNs);
        // Not the sum of user, system and interrupt time: most kernels charge those by looking at each timer tick, which misses what runs
        // between ticks. A ping-pong over a socket pair that used 2.46 s of CPU by both processes' exact clocks was 1.53 s by that sum and
        // 2.66 s as capacity less idle: idle time is measured (tick_nohz_stop_idle), not sampled. The steps are jiffies of 10 ms.
        var busy = Math.Clamp(capacity - (later.IdleNs - earlier.IdleNs) - steal, 0, capacity);
        return new MachineTimes(busy, Math.Max(0, later.SoftIrqNs - earlier.SoftIrqNs), steal, capacity);
    }

    /// <summary>Reads the first line of /proc/stat (proc_stat(5)); null when it is not there.</summary>
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

    // Steps are those of the clock interrupt, up to 15.6 ms. Interrupt and steal time are not told.
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

/// <summary>CPU time of the whole machine during some time, in ns summed over its CPUs.</summary>
/// <param name="BusyNs">Everything that is not idle and not stolen.</param>
/// <param name="SoftIrqNs">Time in interrupt handlers; 0 where it is not told.</param>
/// <param name="StealNs">Time the hypervisor gave to others; 0 where it is not told.</param>
/// <param name="CapacityNs">Length of the time times the number of CPUs.</param>
public sealed record MachineTimes(long BusyNs, long SoftIrqNs, long StealNs, long CapacityNs);

/// <summary>What this process has used since it started; two of them make the usage between.</summary>
public sealed record ProcessSnapshot
{
    /// <summary>When it was taken: <see cref="Stopwatch.GetTimestamp"/>.</summary>
    public required long Timestamp { get; init; }

    public required TimeSpan User { get; init; }
    public required TimeSpan Kernel { get; init; }
    public required long WorkingSetBytes { get; init; }
    public required IReadOnlyList<long> GcCollections { get; init; }
    public required TimeSpan GcPause { get; init; }
    public required long AllocatedBytes { get; init; }
    public required ContextSwitches Switches { get; init; }

    /// <summary>Methods compiled so far, by every thread; a later tier of the same method counts again.</summary>
    public required long MethodsCompiled { get; init; }

    /// <summary>Costs about a tenth of a millisecond: take it outside the window.</summary>
    public static ProcessSnapshot Take()
    {
        // CPU last: what the other readings cost then falls before a window that starts here.
        var workingSet = Environment.WorkingSet;
        var allocated = GC.GetTotalAllocatedBytes(precise: true);
        var switches = ContextSwitches.Own();
        var cpu = Environment.CpuUsage;
        return new ProcessSnapshot
        {
            Timestamp = Stopwatch.GetTimestamp(),
            User = cpu.UserTime,
            Kernel = cpu.PrivilegedTime,
            WorkingSetBytes = workingSet,
            GcCollections = [GC.CollectionCount(0), GC.CollectionCount(1), GC.CollectionCount(2)],
            GcPause = GC.GetTotalPauseDuration(),
            AllocatedBytes = allocated,
            Switches = switches,
            MethodsCompiled = JitInfo.GetCompiledMethodCount(currentThread: false),
        };
    }
}
