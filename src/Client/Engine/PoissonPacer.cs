namespace IpcBench.Client.Engine;

/// <summary>Starts with exponential gaps, as of many independent callers; the same seed gives the same starts.</summary>
/// <param name="startNs">Before the first gap.</param>
/// <param name="perSecond">Mean calls per second over all streams.</param>
internal sealed class PoissonPacer(long startNs, double perSecond, long seed) : IPacer
{
    private readonly Lock gate = new();
    private ulong state = (ulong)seed;
    private double offsetNs;

    public bool IsOpenLoop => true;

    public long Next(long nowNs)
    {
        lock (gate)
        {
            offsetNs += GapNs(Uniform(), perSecond);
            return startNs + (long)offsetNs;
        }
    }

    /// <summary>The exponential quantile of a uniform number in (0, 1].</summary>
    public static double GapNs(double uniform, double perSecond) => -Math.Log(uniform) * (1e9 / perSecond);

    // SplitMix64 (Steele, Lea, Flood 2014): the same on every platform and .NET version, which System.Random does not promise.
    private double Uniform()
    {
        state += 0x9E3779B97F4A7C15;
        var mixed = state;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
        mixed ^= mixed >> 31;
        return ((mixed >> 11) + 1) * (1.0 / (1L << 53));
    }
}
