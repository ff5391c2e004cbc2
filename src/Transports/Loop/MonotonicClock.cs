using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace IpcBench.Transports.Loop;

/// <summary><see cref="Stopwatch"/>'s clock in nanoseconds.</summary>
public static class MonotonicClock
{
    private const long NsPerSecond = 1_000_000_000;

    // A tick is 1 ns on Linux and 100 ns on most Windows machines. The HPET clock has 14.318180 MHz, so its tick is
    // not a whole number of ns.
    private static readonly long NsPerTick = NsPerSecond % Stopwatch.Frequency == 0 ? NsPerSecond / Stopwatch.Frequency : 0;

    /// <summary>Nanoseconds since an arbitrary moment. The clock never runs backwards.</summary>
    public static long NowNs
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => NsPerTick > 0 ? Stopwatch.GetTimestamp() * NsPerTick : Nanoseconds(Stopwatch.GetTimestamp(), Stopwatch.Frequency);
    }

    /// <summary>Converts ticks of a clock with <paramref name="perSecond"/> ticks a second to whole ns.</summary>
    internal static long Nanoseconds(long ticks, long perSecond)
    {
        var (seconds, rest) = Math.DivRem(ticks, perSecond);
        return (seconds * NsPerSecond) + (rest * NsPerSecond / perSecond);
    }
}
