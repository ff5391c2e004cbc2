using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace IpcBench.Transports.Loop;

/// <summary>Sleeps that are shorter than a millisecond, which is the framework's shortest sleep.</summary>
public static partial class FineSleep
{
    [ThreadStatic]
    private static SafeWaitHandle? timer;

    private static int sharpened;

    /// <summary>
    /// Makes sleeps and timed waits as exact as the system can. On Linux the call affects the calling thread, on
    /// Windows the whole process. On Windows a wait ends with a tick of the system clock. After the call, a tick comes
    /// every 1 ms instead of every 15.6 ms.
    /// </summary>
    public static void Sharpen()
    {
        // From now on the kernel delays the timers of this thread by at most 1 ns. The default is 50 us (prctl(2)).
        if (OperatingSystem.IsLinux())
            Native.ProcessControl(Native.PrSetTimerSlack, 1, 0, 0, 0);
        else if (OperatingSystem.IsWindows())
            SharpenWindows();
    }

    /// <summary>
    /// Sleeps about this long. If the system cannot sleep for so short a time, yields the rest of the time slice.
    /// </summary>
    /// <param name="ns">The time in ns, more than 0.</param>
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
            // Nano Server and other small editions of Windows have no winmm.
        }
    }

    // The sleep is exact to about half a millisecond. Returns false when Windows is older than Windows 10 1803 and has
    // no high-resolution timers.
    [SupportedOSPlatform("windows")]
    private static bool SleepWindows(long ns)
    {
        const uint highResolution = 2, allAccess = 0x1F0003, forever = uint.MaxValue; // synchapi.h
        timer ??= CreateWaitableTimerEx(0, 0, highResolution, allAccess);
        var relative = -Math.Max(1, ns / 100);
        return !timer.IsInvalid && SetWaitableTimer(timer, in relative, 0, 0, 0, false) && WaitForSingleObject(timer, forever) == 0;
    }

    // See timeapi.h. The effect lasts until the process ends.
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
