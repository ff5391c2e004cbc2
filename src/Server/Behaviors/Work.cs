using System.Diagnostics;
using System.Runtime.CompilerServices;
using IpcBench.Host;

namespace IpcBench.Server.Behaviors;

/// <summary>
/// Computes like a handler: uses CPU time of the calling thread, without allocation or memory traffic. The thread's CPU
/// clock shows when a call has used its time. So neither the clock rate nor other threads change that time. The speed
/// of this machine, measured once, tells how much to compute between two readings of the clock. On Windows the clock's
/// steps of 15.6 ms are too coarse. So on Windows only the measured speed decides.
/// </summary>
/// <param name="ns">CPU time of one call, in ns.</param>
internal sealed class Work(long ns)
{
    private static readonly Speed Measured = Speed.Measure();

    // The work runs for this share of the remaining time before it reads the clock again. The share is below 1, because a step
    // takes longer than measured while other threads use the processor's caches and units.
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
        // A reading returns the time at the middle of the reading. So half of the first reading and half of the last
        // reading are not part of the measured time. The two halves take as long as one reading, which is subtracted
        // here.
        var end = start + ns - speed.ReadingNs;
        while (end - ProcessClock.OfThisThreadNs() is var left && left > speed.ReadingNs / 2)
            Compute((long)Math.Max(1, (left - speed.ReadingNs) * Careful * speed.StepsPerNs));
    }

    /// <summary>
    /// Computes steps. Each step needs the result of the step before, so that no processor computes several steps at a time.
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
    /// <param name="StepsPerNs">Steps of <see cref="Compute"/> in a ns.</param>
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
