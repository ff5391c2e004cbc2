using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace IpcBench.Host;

/// <summary>A fixed piece of integer work: how fast this machine is just now.</summary>
public static class SpeedProbe
{
    private const int Parts = 5;
    private const int StepsOfPart = 700_000;    // about 1 ms: a multiplication and an addition that wait for each other, some 4 cycles

    /// <summary>Times it, in ns; blocks for about 5 ms.</summary>
    public static long Time()
    {
        Span<long> parts = stackalloc long[Parts];
        var seed = (ulong)Stopwatch.GetTimestamp();
        for (var i = 0; i < Parts; i++)
        {
            var start = Stopwatch.GetTimestamp();
            seed = Work(seed);
            parts[i] = (long)Stopwatch.GetElapsedTime(start).TotalNanoseconds;
        }
        GC.KeepAlive(seed);
        parts.Sort();
        // The median part: one interrupt of 4 ms says nothing about the seconds that follow, a slower clock slows every part.
        return parts[Parts / 2] * Parts;
    }

    // Compiled at once and in full, or the first readings of a run would be those of the quick JIT.
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static ulong Work(ulong x)
    {
        for (var i = 0; i < StepsOfPart; i++)
            x = (x * 6364136223846793005) + 1442695040888963407;
        return x;
    }
}
