namespace IpcBench.Client.Engine;

/// <summary>
/// Starts calls with exponentially distributed gaps, like many independent callers. The same seed gives the same due times.
/// </summary>
/// <param name="clock">The clock of the load. The first gap begins when the load starts.</param>
/// <param name="calls">See <see cref="Pacer"/>.</param>
/// <param name="perSecond">Mean calls per second over all streams.</param>
/// <param name="seed">Determines the gaps.</param>
internal sealed class PoissonPacer(WindowClock clock, long? calls, double perSecond, long seed) : Pacer(clock, calls)
{
    private readonly Lock gate = new();
    private readonly long startNs = clock.StartNs;
    private SplitMix64 random = new((ulong)seed);
    private double offsetNs;

    public override long Claim(long nowNs)
    {
        lock (gate)
        {
            offsetNs += GapNs(random.NextUniform(), perSecond);
            return startNs + (long)offsetNs;
        }
    }

    /// <summary>Returns a gap in ns: the exponential quantile of a uniform number in (0, 1].</summary>
    public static double GapNs(double uniform, double perSecond) => -Math.Log(uniform) * (1e9 / perSecond);
}
