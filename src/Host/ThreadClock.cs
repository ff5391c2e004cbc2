using System.Runtime.InteropServices;

namespace IpcBench.Host;

/// <summary>CPU time of the calling thread; time that others had in between is not in it.</summary>
public static partial class ThreadClock
{
    private const int ThreadCpuTime = 3; // CLOCK_THREAD_CPUTIME_ID, clock_gettime(2)

    /// <summary>Zero where the system does not tell.</summary>
    public static TimeSpan Read() => OperatingSystem.IsLinux() && clock_gettime(ThreadCpuTime, out var time) == 0
        ? TimeSpan.FromTicks(time.Seconds * TimeSpan.TicksPerSecond + time.Nanoseconds / TimeSpan.NanosecondsPerTick)
        : TimeSpan.Zero;

    [LibraryImport("libc")]
    private static partial int clock_gettime(int clock, out Time time);

    // struct timespec on 64-bit Linux.
    private struct Time
    {
        public long Seconds;
        public long Nanoseconds;
    }
}
