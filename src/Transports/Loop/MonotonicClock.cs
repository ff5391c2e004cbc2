using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace IpcBench.Transports.Loop;

/// <summary><see cref="Stopwatch"/>'s clock in nanoseconds.</summary>
public static class MonotonicClock
{
    private const long NsPerSecond = 1_000_000_000;

    // 1 ns on Linux and 100 ns on most Windows; one whose clock is the HPET has 14.318180 MHz.
    private static readonly long NsPerTick = NsPerSecond % Stopwatch.Frequency == 0 ? NsPerSecond / Stopwatch.Frequency : 0;

    /// <summary>Nanoseconds since an arbitrary moment; never runs backwards.</summary>
    public static long NowNs
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => NsPerTick > 0 ? Stopwatch.GetTimestamp() * NsPerTick : Nanoseconds(Stopwatch.GetTimestamp(), Stopwatch.Frequency);
    }

    /// <summary>Ticks of a clock that has so many a second, in whole ns.</summary>
    internal static long Nanoseconds(long ticks, long perSecond)
    {
        var (seconds, rest) = Math.DivRem(ticks, perSecond);
        return (seconds * NsPerSecond) + (rest * NsPerSecond / perSecond);
    }
}

/// <summary>Sleeps shorter than the millisecond of the framework's.</summary>
public static partial class FineSleep
{
    [ThreadStatic]
    private static SafeWaitHandle? timer;

    private static int sharpened;

    /// <summary>
    /// Makes the sleeps and timed waits of the calling thread as exact as the system can; on Windows those of the whole process, which end
    /// with a tick of the system's clock: every 1 ms instead of every 15.6 ms.
    /// </summary>
    public static void Sharpen()
    {
        // 1 ns instead of the default 50 us by which the kernel may delay this thread's timers (prctl(2)).
        if (OperatingSystem.IsLinux())
            Native.ProcessControl(Native.PrSetTimerSlack, 1, 0, 0, 0);
        else if (OperatingSystem.IsWindows())
            SharpenWindows();
    }

    /// <summary>Sleeps about that long; where the system cannot, gives only the rest of the time slice away.</summary>
    /// <param name="ns">More than 0.</param>
    public static void For(long ns)
    {
        if (OperatingSystem.IsLinux())
            SleepLinux(ns);
        else if (!OperatingSystem.IsWindows() || !SleepWindows(ns))
            Thread.Yield();
    }

    [SupportedOSPlatform("windows")]
    private static void SharpenWindows()
    {
        try
        {
            if (Interlocked.Exchange(ref sharpened, 1) == 0)
                _ = TimeBeginPeriod(1);
        }
        catch (Exception e) when (e is DllNotFoundException or EntryPointNotFoundException)
        {
            // Small editions of Windows go without.
        }
    }

    // To about half a millisecond; false before Windows 10 1803, which has no such timers.
    [SupportedOSPlatform("windows")]
    private static bool SleepWindows(long ns)
    {
        const uint highResolution = 2, allAccess = 0x1F0003, forever = uint.MaxValue; // synchapi.h
        timer ??= CreateWaitableTimerEx(0, 0, highResolution, allAccess);
        var relative = -Math.Max(1, ns / 100);
        return !timer.IsInvalid && SetWaitableTimer(timer, in relative, 0, 0, 0, false) && WaitForSingleObject(timer, forever) == 0;
    }

    // timeapi.h; until the process ends.
    [LibraryImport("winmm", EntryPoint = "timeBeginPeriod")]
    private static partial uint TimeBeginPeriod(uint milliseconds);

    [LibraryImport("kernel32", EntryPoint = "CreateWaitableTimerExW")]
    private static partial SafeWaitHandle CreateWaitableTimerEx(nint security, nint name, uint flags, uint access);

    [LibraryImport("kernel32")]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool SetWaitableTimer(
        SafeWaitHandle timer, in long due, int period, nint routine, nint argument, [MarshalAs(UnmanagedType.Bool)] bool resume);

    [LibraryImport("kernel32")]
    private static partial uint WaitForSingleObject(SafeWaitHandle handle, uint milliseconds);

    [SupportedOSPlatform("linux")]
    private static unsafe void SleepLinux(long ns)
    {
        var request = new Native.Timespec { Seconds = ns / 1_000_000_000, Nanoseconds = ns % 1_000_000_000 };
        Native.Sleep(&request, null);
    }
}
