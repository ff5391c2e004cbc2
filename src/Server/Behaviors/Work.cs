using System.Diagnostics;
using System.Runtime.CompilerServices;
using IpcBench.Host;

namespace IpcBench.Server.Behaviors;

/// <summary>
/// What a handler would compute for a call: CPU time of the calling thread, without allocation or memory traffic. How fast this machine
/// computes is measured once, before the first call, against the thread's CPU clock; each call reads that clock too and goes on until the
/// time is over, so that neither a faster clock rate nor other threads change it. Windows has no such clock that is fine enough (its
/// steps are 15.6 ms): there the measured speed alone counts.
/// </summary>
/// <param name="ns">CPU time of one call in ns.</param>
internal sealed class Work(long ns)
{
    private static readonly Speed Measured = Speed.Measure();

    // The share of the time that is left which is computed before the clock is read again: where others use the processor's caches and
    // units, steps take longer than when they were measured alone.
    private const double Careful = 0.7;

    private static ulong sink;

    private readonly Speed speed = Measured;

    /// <summary>Computes on this thread.</summary>
    public void Run()
    {
        var start = ProcessClock.OfThisThreadNs();
        if (start == 0)
        {
            Compute((long)(ns * speed.StepsPerNs));
            return;
        }
        // A reading ends in the middle of its own cost: half of the first one and half of the last lie outside.
        var end = start + ns - speed.ReadingNs;
        while (end - ProcessClock.OfThisThreadNs() is var left && left > speed.ReadingNs / 2)
            Compute((long)Math.Max(1, (left - speed.ReadingNs) * Careful * speed.StepsPerNs));
    }

    /// <summary>Each step needs the one before it, so that no processor does several at a time.</summary>
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static void Compute(long steps)
    {
        var x = (ulong)steps | 1;
        for (; steps > 0; steps--)
            x = x * 6364136223846793005 + 1442695040888963407; // Knuth's MMIX generator
        sink = x;
    }

    /// <summary>How fast this machine computes.</summary>
    /// <param name="StepsPerNs">Steps of <see cref="Compute"/>.</param>
    /// <param name="ReadingNs">What reading the thread's CPU clock costs.</param>
    private sealed record Speed(double StepsPerNs, long ReadingNs)
    {
        private const int Tries = 20, Steps = 400_000, Readings = 500;

        /// <summary>Some 10 ms. The fastest of several tries: whatever disturbs one only makes it slower.</summary>
        public static Speed Measure()
        {
            var (fastest, cheapest) = (double.MaxValue, double.MaxValue);
            for (var i = 0; i < Tries; i++)
            {
                var start = Clock();
                Compute(Steps);
                var computed = Clock();
                for (var reading = 1; reading < Readings; reading++)
                    _ = ProcessClock.OfThisThreadNs();
                fastest = Math.Min(fastest, computed - start);
                cheapest = Math.Min(cheapest, (Clock() - computed) / Readings);
            }
            return new Speed(Steps / fastest, (long)cheapest);
        }

        /// <summary>The thread's own time, or else the time of day, of which a thread may not have had all.</summary>
        private static double Clock() => ProcessClock.OfThisThreadNs() is > 0 and var ns ? ns
            : Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency);
    }
}
