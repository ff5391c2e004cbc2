using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace IpcBench.Host;

/// <summary>Two fixed pieces of work, one of integers and one of memory. They show how fast this machine is at the moment.</summary>
public static class SpeedProbe
{
    /// <summary>
    /// The number of bytes that <see cref="MemoryStep"/> walks through. It is larger than a core's own cache, and smaller
    /// than the cache that all cores (and virtual machines of one host) share.
    /// </summary>
    public const int MemoryBytes = 4 << 20;

    private const int Line = 64 / sizeof(int);
    private const int StepsOfWalk = MemoryBytes / sizeof(int) / Line;
    private const int PartsOfWalk = 16;
    private const int Parts = 5;
    private const int StepsOfPart = 700_000; // about 1 ms: a dependent multiplication and addition take some 4 cycles

    /// <summary>Times the integer work, in ns. Blocks for about 5 ms.</summary>
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
        // The result is computed from the median part. An interrupt of 4 ms slows only one part, and does not show how
        // fast the machine is in the next seconds. A slower CPU clock slows all parts.
        return parts[Parts / 2] * Parts;
    }

    /// <summary>
    /// Times memory loads over <see cref="MemoryBytes"/>. Each load needs the result of the load before, and all cache
    /// lines were read once just before. Blocks for 1 to 30 ms. A load takes some 10 ns while the bytes are in the shared
    /// cache, and 100 ns or more when other programs fill this cache.
    /// </summary>
    /// <returns>The time of one load, in ns.</returns>
    public static double MemoryStep()
    {
        var at = Walk(Chain.Next, 0, StepsOfWalk);
        Span<double> parts = stackalloc double[PartsOfWalk];
        for (var i = 0; i < PartsOfWalk; i++)
        {
            var start = Stopwatch.GetTimestamp();
            at = Walk(Chain.Next, at, StepsOfWalk / PartsOfWalk);
            parts[i] = Stopwatch.GetElapsedTime(start).TotalNanoseconds / (StepsOfWalk / PartsOfWalk);
        }
        GC.KeepAlive(at);
        parts.Sort();
        return parts[PartsOfWalk / 2];
    }

    // The method is optimized at its first call. Otherwise the first readings of a run would time code of the quick JIT.
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static ulong Work(ulong x)
    {
        for (var i = 0; i < StepsOfPart; i++)
            x = (x * 6364136223846793005) + 1442695040888963407;
        return x;
    }

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static int Walk(int[] next, int at, int steps)
    {
        for (var i = 0; i < steps; i++)
            at = next[at];
        return at;
    }

    private static class Chain
    {
        public static readonly int[] Next = Make();

        // Makes one circle through all cache lines (Sattolo's shuffle), in an order that no prefetcher can predict.
        private static int[] Make()
        {
            int[] lines = [.. Enumerable.Range(0, StepsOfWalk)];
            var random = new Random(1);
            for (var i = lines.Length - 1; i > 0; i--)
            {
                var j = random.Next(i);
                (lines[i], lines[j]) = (lines[j], lines[i]);
            }
            var next = new int[StepsOfWalk * Line];
            for (var i = 0; i < lines.Length; i++)
                next[i * Line] = lines[i] * Line;
            return next;
        }
    }
}
