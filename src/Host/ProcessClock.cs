using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace IpcBench.Host;

/// <summary>CPU time of a process as the system has it, read from outside: a busy process need not answer.</summary>
/// <param name="StartTicks">When it started, in the system's own unit: another process of the same number has another.</param>
/// <param name="CpuNs">
/// User and kernel time of all its threads, ended ones included; in ns on Linux, in steps of about 15.6 ms on Windows.
/// </param>
/// <param name="UserNs">User time by the system's coarse clock (10 ms on Linux): only its proportion counts.</param>
/// <param name="KernelNs">The same for kernel time.</param>
/// <param name="EndedUserNs">User time of children that have ended and were waited for, in steps of 10 ms; 0 on Windows.</param>
/// <param name="EndedKernelNs">The same for kernel time.</param>
public sealed partial record ProcessClock(
    long StartTicks, long CpuNs, long UserNs, long KernelNs, long EndedUserNs, long EndedKernelNs)
{
    /// <summary>Memory that is resident, shared pages included.</summary>
    public long WorkingSetBytes { get; init; }

    /// <summary>The kernel's flags of it; 0 where the system does not tell.</summary>
    public long Flags { get; init; }

    /// <summary>Who started it, or takes it over; 0 where it was not read.</summary>
    public int Parent { get; init; }

    private const int ThreadCpuTime = 3; // CLOCK_THREAD_CPUTIME_ID, clock_gettime(2)

    /// <summary>Null where there is no such process, it may not be read, or the system does not tell. Some 50 µs.</summary>
    public static ProcessClock? Read(int process) => process <= 0 ? null
        : OperatingSystem.IsLinux() ? ReadLinux(new SystemFiles(), process)
        : OperatingSystem.IsWindows() ? ProcessTree.ClockOfWindows(process)
        : null;

    /// <summary>
    /// Of several processes, as near to one moment as the system lets them be read: on Linux all fine clocks first (a microsecond each),
    /// then what takes longer. Those that cannot be read are missing.
    /// </summary>
    public static IReadOnlyDictionary<int, ProcessClock> Read(IReadOnlyCollection<int> processes)
    {
        if (OperatingSystem.IsLinux())
            return ReadLinux(new SystemFiles(), processes);
        var clocks = new Dictionary<int, ProcessClock>();
        foreach (var process in processes)
        {
            if (Read(process) is { } clock)
                clocks[process] = clock;
        }
        return clocks;
    }

    /// <summary>
    /// CPU time of the calling thread; time that others had in between is not in it. Zero where the system does not tell.
    /// </summary>
    public static TimeSpan OfThisThread() => TimeSpan.FromTicks(OfThisThreadNs() / TimeSpan.NanosecondsPerTick);

    /// <summary>The same in ns; 0 where the system does not tell. A system call, some 0.2 µs.</summary>
    public static long OfThisThreadNs() =>
        OperatingSystem.IsLinux() && clock_gettime(ThreadCpuTime, out var time) == 0 ? time.Nanoseconds : 0;

    /// <summary>
    /// User and kernel time in ns that the process and its ended children used between two readings; null when they are not of the same
    /// process. The sum is the fine clock's, its parts are in the proportion of the coarse ones.
    /// </summary>
    public static (long UserNs, long KernelNs)? Between(ProcessClock earlier, ProcessClock later)
    {
        if (earlier.StartTicks != later.StartTicks || later.CpuNs < earlier.CpuNs)
            return null;
        var (used, user, kernel) = (later.CpuNs - earlier.CpuNs, later.UserNs - earlier.UserNs, later.KernelNs - earlier.KernelNs);
        // Less than a step of the coarse clock: as it was since the start.
        if (user + kernel <= 0)
            (user, kernel) = (later.UserNs, later.KernelNs);
        var userPart = user + kernel <= 0 ? used : (long)(used * (user / (double)(user + kernel)));
        return (userPart + later.EndedUserNs - earlier.EndedUserNs, used - userPart + later.EndedKernelNs - earlier.EndedKernelNs);
    }

    [SupportedOSPlatform("linux")]
    private static ProcessClock? ReadLinux(SystemFiles files, int process)
    {
        // Before the file, which takes longer to read.
        return FineNs(process) is { } ns && ProcessTree.StatOf(files, process) is { } stat ? ProcessTree.ClockOf(stat, ns) : null;
    }

    [SupportedOSPlatform("linux")]
    private static Dictionary<int, ProcessClock> ReadLinux(SystemFiles files, IReadOnlyCollection<int> processes)
    {
        var clocks = new Dictionary<int, ProcessClock>();
        foreach (var (process, ns) in processes.Select(process => (process, FineNs(process))).ToList())
        {
            if (ns is { } fine && ProcessTree.StatOf(files, process) is { } stat)
                clocks[process] = ProcessTree.ClockOf(stat, fine);
        }
        return clocks;
    }

    // A microsecond.
    [SupportedOSPlatform("linux")]
    private static long? FineNs(int process) =>
        clock_getcpuclockid(process, out var clock) == 0 && clock_gettime(clock, out var time) == 0 ? time.Nanoseconds : null;

    /// <returns>0, or an error number.</returns>
    [LibraryImport("libc")]
    private static partial int clock_getcpuclockid(int process, out int clock);

    [LibraryImport("libc")]
    private static partial int clock_gettime(int clock, out Time time);

    // struct timespec on 64-bit Linux.
    private struct Time
    {
        private long seconds;
        private long nanoseconds;

        public readonly long Nanoseconds => seconds * 1_000_000_000 + nanoseconds;
    }
}
