using System.Runtime.InteropServices;

namespace IpcBench.Client.Machine;

internal static partial class FineSleep
{
    private const int PrSetTimerSlack = 29;

    // 1 ns instead of the default 50 us by which the kernel may delay this thread's timers (prctl(2)).
    private static void SharpenLinux() => prctl(PrSetTimerSlack, 1, 0, 0, 0);

    private static void SleepLinux(long ns)
    {
        var request = new Timespec { Seconds = ns / 1_000_000_000, Nanoseconds = ns % 1_000_000_000 };
        nanosleep(in request, 0);
    }

    [LibraryImport("libc")]
    private static partial int prctl(int option, nuint value, nuint unused1, nuint unused2, nuint unused3);

    [LibraryImport("libc")]
    private static partial int nanosleep(in Timespec request, nint remaining);

    [StructLayout(LayoutKind.Sequential)]
    private struct Timespec
    {
        public long Seconds;
        public long Nanoseconds;
    }
}
