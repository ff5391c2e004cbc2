namespace IpcBench.Client.Engine;

/// <summary>Decides when the next call starts, and whether it may still start. All streams of a cell share one pacer.</summary>
/// <param name="clock">The clock of the load. No call starts at or after <see cref="WindowClock.StopNs"/>.</param>
/// <param name="calls">The most calls that are started. Null when the clock alone stops them.</param>
internal abstract class Pacer(WindowClock clock, long? calls)
{
    private readonly bool isCounted = calls is not null;
    private long left = calls ?? 0;

    /// <summary>True when calls have due times. Only then can a call be late.</summary>
    public virtual bool IsOpenLoop => true;

    public static Pacer For(LoadWindow window, WindowClock clock) => window switch
    {
        { Rate: { } rate, Poisson: true } => new PoissonPacer(clock, window.Calls, rate, window.Seed),
        { Rate: { } rate } => new ConstantPacer(clock, window.Calls, rate),
        _ => new ClosedPacer(clock, window.Calls),
    };

    /// <summary>Claims the next start. May be called from any thread.</summary>
    /// <param name="intendedNs">When the call is due, in ns of the clock. In the past if all streams were busy when it was due.</param>
    /// <returns>False when neither this call nor a later one may start.</returns>
    public bool Next(long nowNs, out long intendedNs)
    {
        intendedNs = Claim(nowNs);
        return Math.Max(intendedNs, nowNs) < clock.StopNs && (!isCounted || Interlocked.Decrement(ref left) >= 0);
    }

    /// <summary>Claims the next start, even if no call may start any more. May be called from any thread.</summary>
    public abstract long Claim(long nowNs);
}

/// <summary>The pacer of a closed loop. The next call of a stream starts when the stream's previous call has ended.</summary>
internal sealed class ClosedPacer(WindowClock clock, long? calls) : Pacer(clock, calls)
{
    public override bool IsOpenLoop => false;

    public override long Claim(long nowNs) => nowNs;
}

/// <summary>Starts calls at equal intervals, no matter when calls end. The first call is due when the load starts.</summary>
/// <param name="calls">See <see cref="Pacer"/>.</param>
/// <param name="perSecond">Calls per second over all streams.</param>
internal sealed class ConstantPacer(WindowClock clock, long? calls, double perSecond) : Pacer(clock, calls)
{
    private readonly long startNs = clock.StartNs;
    private long claimed;

    public override long Claim(long nowNs) => startNs + OffsetNs(Interlocked.Increment(ref claimed) - 1, perSecond);

    /// <summary>
    /// Returns how long after the first call (number 0) the call <paramref name="number"/> is due, in ns. The result is computed from
    /// the number alone, so that rounding errors do not add up.
    /// </summary>
    public static long OffsetNs(long number, double perSecond) => (long)(number * (1e9 / perSecond));
}

/// <summary>Starts calls with exponential gaps, like many independent callers. The same seed gives the same starts.</summary>
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

/// <summary>
/// Gives pseudorandom numbers that depend on the seed alone, on every platform and .NET version. System.Random does not
/// promise this. See Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. Only one thread at a
/// time may use it.
/// </summary>
internal struct SplitMix64(ulong state)
{
    /// <summary>Returns 64 random bits.</summary>
    public ulong Next()
    {
        var mixed = unchecked(state += 0x9E3779B97F4A7C15UL);
        mixed = unchecked((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9UL);
        mixed = unchecked((mixed ^ (mixed >> 27)) * 0x94D049BB133111EBUL);
        return mixed ^ (mixed >> 31);
    }

    /// <summary>Returns a uniform number in (0, 1], in steps of 2^-53.</summary>
    public double NextUniform() => ((Next() >> 11) + 1) * (1.0 / (1L << 53));
}
