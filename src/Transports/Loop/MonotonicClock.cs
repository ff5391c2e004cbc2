using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary><see cref="Stopwatch"/>'s clock in nanoseconds.</summary>
public static class MonotonicClock
{
    private static readonly long NsPerTick = 1_000_000_000 / Stopwatch.Frequency;

    /// <summary>Nanoseconds since an arbitrary moment; never runs backwards.</summary>
    public static long NowNs
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Stopwatch.GetTimestamp() * NsPerTick;
    }
}

/// <summary>Sleeps shorter than the millisecond of the framework's.</summary>
public static class FineSleep
{
    /// <summary>Makes the sleeps and timed waits of the calling thread as exact as the system can.</summary>
    public static void Sharpen()
    {
        // 1 ns instead of the default 50 us by which the kernel may delay this thread's timers (prctl(2)).
        if (OperatingSystem.IsLinux())
            Native.ProcessControl(Native.PrSetTimerSlack, 1, 0, 0, 0);
    }

    /// <summary>Sleeps about that long; where the system cannot, gives only the rest of the time slice away.</summary>
    /// <param name="ns">More than 0.</param>
    public static void For(long ns)
    {
        if (OperatingSystem.IsLinux())
            SleepLinux(ns);
        else
            Thread.Yield();
    }

    [SupportedOSPlatform("linux")]
    private static unsafe void SleepLinux(long ns)
    {
        var request = new Native.Timespec { Seconds = ns / 1_000_000_000, Nanoseconds = ns % 1_000_000_000 };
        Native.Sleep(&request, null);
    }
}
