using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace IpcBench.Host;

/// <summary>CPU time of a process. The operating system reports the time, so a busy process need not answer.</summary>
/// <param name="StartTicks">
/// When the process started, in the system's unit. The start distinguishes two processes that had the same id.
/// </param>
/// <param name="CpuNs">User and kernel time of all threads, ended threads too. On Windows in steps of 15.6 ms.</param>
/// <param name="UserNs">User time by the coarse clock (10 ms on Linux). While the process runs, only its ratio to KernelNs is used.</param>
/// <param name="KernelNs">Kernel time by the coarse clock.</param>
/// <param name="EndedUserNs">User time of ended children that were waited for, in steps of 10 ms. 0 on Windows.</param>
/// <param name="EndedKernelNs">Kernel time of the same children.</param>
public sealed partial record ProcessClock(
    long StartTicks, long CpuNs, long UserNs, long KernelNs, long EndedUserNs, long EndedKernelNs)
{
    /// <summary>Resident memory, shared pages included.</summary>
    public long WorkingSetBytes { get; init; }

    /// <summary>The kernel's flags of the process. 0 when the system does not report them.</summary>
    public long Flags { get; init; }

    /// <summary>The process that started this process or adopted it. 0 when the parent was not read.</summary>
    public int Parent { get; init; }

    private const int ThreadCpuTime = 3; // CLOCK_THREAD_CPUTIME_ID, clock_gettime(2)

    /// <summary>
    /// Reads the clock of a process, which takes some 50 µs. Null when the process does not exist or may not be read,
    /// or when the system does not report CPU times.
    /// </summary>
    public static ProcessClock? Read(int process) => process <= 0 ? null
        : OperatingSystem.IsLinux() ? ReadLinux(new SystemFiles(), process)
        : OperatingSystem.IsWindows() ? ProcessTree.ClockOfWindows(process)
        : null;

    /// <summary>
    /// Reads the clocks of several processes, as close to one moment as the system allows. On Linux, all fine clocks
    /// are read first (a microsecond each), and then the files in /proc, which takes longer. Processes that cannot be
    /// read are missing.
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

    /// <summary>Reads the CPU time of the calling thread alone. Zero when the system does not report it.</summary>
    public static TimeSpan OfThisThread() => TimeSpan.FromTicks(OfThisThreadNs() / TimeSpan.NanosecondsPerTick);

    /// <summary>
    /// Reads the CPU time of the calling thread in ns, by a system call of some 0.2 µs. 0 when the system does not report it.
    /// </summary>
    public static long OfThisThreadNs() =>
        OperatingSystem.IsLinux() && clock_gettime(ThreadCpuTime, out var time) == 0 ? time.Nanoseconds : 0;

    /// <summary>
    /// Computes the user and kernel time in ns that the process and its ended children used between two readings. The fine clock
    /// gives the sum of both times, the coarse clocks give their ratio. Null when the readings are of different processes.
    /// </summary>
    public static (long UserNs, long KernelNs)? Between(ProcessClock earlier, ProcessClock later)
    {
        if (earlier.StartTicks != later.StartTicks || later.CpuNs < earlier.CpuNs)
            return null;
        var (used, user, kernel) = (later.CpuNs - earlier.CpuNs, later.UserNs - earlier.UserNs, later.KernelNs - earlier.KernelNs);
        // If less than one step of the coarse clocks has passed, the ratio since the start of the process is used.
        if (user + kernel <= 0)
            (user, kernel) = (later.UserNs, later.KernelNs);
        var userPart = user + kernel <= 0 ? used : (long)(used * (user / (double)(user + kernel)));
        return (userPart + later.EndedUserNs - earlier.EndedUserNs, used - userPart + later.EndedKernelNs - earlier.EndedKernelNs);
    }

    [SupportedOSPlatform("linux")]
    private static ProcessClock? ReadLinux(SystemFiles files, int process)
    {
        // The fine clock is read first, because reading the file in /proc takes longer.
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

    [SupportedOSPlatform("linux")]
    private static long? FineNs(int process) =>
        clock_getcpuclockid(process, out var clock) == 0 && clock_gettime(clock, out var time) == 0 ? time.Nanoseconds : null;

    /// <returns>0 for success, otherwise an error number.</returns>
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
