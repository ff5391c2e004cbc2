namespace IpcBench.Client.Engine;

/// <summary>Starts calls at equal intervals, no matter when calls end. The first call is due when the load starts.</summary>
/// <param name="calls">See <see cref="Pacer"/>.</param>
/// <param name="perSecond">Calls per second over all streams.</param>
internal sealed class ConstantPacer(WindowClock clock, long? calls, double perSecond) : Pacer(clock, calls)
{
    private readonly long startNs = clock.StartNs;
    private long claimed;

    public override long Claim(long nowNs) => startNs + OffsetNs(Interlocked.Increment(ref claimed) - 1, perSecond);

    /// <summary>
    /// Returns the time in ns from the due time of the first call (number 0) to the due time of the call
    /// <paramref name="number"/>. The result is computed from the number alone, so that rounding errors do not add up.
    /// </summary>
    public static long OffsetNs(long number, double perSecond) => (long)(number * (1e9 / perSecond));
}
