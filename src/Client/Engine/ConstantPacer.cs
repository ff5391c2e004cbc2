namespace IpcBench.Client.Engine;

/// <summary>Starts at even distances, whatever becomes of the calls.</summary>
/// <param name="startNs">When the first is due.</param>
/// <param name="perSecond">Calls per second over all streams.</param>
internal sealed class ConstantPacer(long startNs, double perSecond) : IPacer
{
    private long claimed;

    public bool IsOpenLoop => true;

    public long Next(long nowNs) => startNs + OffsetNs(Interlocked.Increment(ref claimed) - 1, perSecond);

    /// <summary>When the call of that number, counted from 0, is due. Computed from the number, so that rounding does not add up.</summary>
    public static long OffsetNs(long number, double perSecond) => (long)(number * (1e9 / perSecond));
}
