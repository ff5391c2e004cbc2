namespace IpcBench.Client.Engine;

/// <summary>
/// Generates pseudorandom numbers. The same seed gives the same numbers on every platform and .NET version, which
/// System.Random does not guarantee. See Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
/// Not thread-safe.
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
