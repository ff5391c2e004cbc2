using System.Diagnostics;
using System.Runtime.CompilerServices;
using IpcBench.Host;

namespace IpcBench.Server.Behaviors;

/// <summary>
/// Computes like a handler: uses CPU time of the calling thread, without allocation or memory traffic. The CPU clock of
/// the thread shows when a call has used the required CPU time. So neither the frequency of the processor nor other
/// threads change the CPU time of a call. The speed of this machine, which is measured once, determines how much to
/// compute between two readings of the CPU clock. On Windows the CPU clock advances in steps of 15.6 ms, which is too
/// coarse. So on Windows only the measured speed determines how much to compute.
/// </summary>
/// <param name="ns">CPU time of one call, in ns.</param>
internal sealed class Work(long ns)
{
    private static readonly Speed Measured = Speed.Measure();

    // Between two readings of the clock, a call computes for this share of the remaining time. The share is below 1,
    // because a step takes longer than measured while other threads use the caches and execution units of the
    // processor.
    private const double Careful = 0.7;

    private static ulong sink;

    private readonly Speed speed = Measured;

    public void Run()
    {
        var start = ProcessClock.OfThisThreadNs();
        if (start == 0)
        {
            Compute((long)(ns * speed.StepsPerNs));
            return;
        }
        // A reading returns the time at the middle of the reading. So the first half of the first reading and the
        // second half of the last reading are not part of the measured time, although the call uses this time. The two
        // halves together take as long as one reading, so the time of one reading is subtracted here.
        var end = start + ns - speed.ReadingNs;
        while (end - ProcessClock.OfThisThreadNs() is var left && left > speed.ReadingNs / 2)
            Compute((long)Math.Max(1, (left - speed.ReadingNs) * Careful * speed.StepsPerNs));
    }

    /// <summary>
    /// Computes this many steps. Each step needs the result of the previous step, so that the processor cannot compute
    /// several steps at the same time.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static void Compute(long steps)
    {
        var x = (ulong)steps | 1;
        for (; steps > 0; steps--)
            x = x * 6364136223846793005 + 1442695040888963407; // Knuth's MMIX generator
        sink = x;
    }

    /// <summary>The speed of this machine.</summary>
    /// <param name="StepsPerNs">The number of steps of <see cref="Compute"/> in one ns.</param>
    /// <param name="ReadingNs">The cost of reading the thread's CPU clock, in ns.</param>
    private sealed record Speed(double StepsPerNs, long ReadingNs)
    {
        private const int Tries = 20, Steps = 400_000, Readings = 500;

        /// <summary>
        /// Measures the speed, which takes some 10 ms. The fastest of several tries counts, because a disturbance
        /// can only slow a try down.
        /// </summary>
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

        /// <summary>
        /// Reads the CPU time of this thread in ns. On Windows reads the wall clock, which may include time of other threads.
        /// </summary>
        private static double Clock() => ProcessClock.OfThisThreadNs() is > 0 and var ns ? ns
            : Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency);
    }
}
