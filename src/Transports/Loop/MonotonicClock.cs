using System.Diagnostics;
using System.Runtime.CompilerServices;

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
