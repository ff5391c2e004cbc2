namespace IpcBench.Client.Engine;

/// <summary>Decides when the next call starts, and whether a call may still start. All streams of a cell share one pacer.</summary>
/// <param name="clock">The clock of the load. No call starts at or after <see cref="WindowClock.StopNs"/>.</param>
/// <param name="calls">The largest number of calls to start. Null when only the clock stops the calls.</param>
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

    /// <summary>Claims the next call for a stream. May be called from any thread.</summary>
    /// <param name="intendedNs">The due time in ns. It lies in the past if all streams were busy at that time.</param>
    /// <returns>False when neither this call nor a later call may start.</returns>
    public bool Next(long nowNs, out long intendedNs)
    {
        intendedNs = Claim(nowNs);
        return Math.Max(intendedNs, nowNs) < clock.StopNs && (!isCounted || Interlocked.Decrement(ref left) >= 0);
    }

    /// <summary>Claims the next call and returns its due time, even after the end of the load. May be called from any thread.</summary>
    public abstract long Claim(long nowNs);
}
