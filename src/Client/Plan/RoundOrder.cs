namespace IpcBench.Client.Plan;

/// <summary>Interleaving: every round visits every cell once, in an order of its own that the seed alone decides.</summary>
internal static class RoundOrder
{
    /// <summary>Fisher-Yates with splitmix64, so that a printed seed gives the same order on every runtime version.</summary>
    public static IReadOnlyList<T> Shuffle<T>(IEnumerable<T> cells, long seed, int round)
    {
        var order = cells.ToArray();
        var state = unchecked((ulong)seed * 0x9E3779B97F4A7C15UL + (ulong)round);
        for (var i = order.Length - 1; i > 0; i--)
        {
            var j = (int)(Next(ref state) % (ulong)(i + 1));
            (order[i], order[j]) = (order[j], order[i]);
        }
        return order;
    }

    // splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
    private static ulong Next(ref ulong state)
    {
        var z = unchecked(state += 0x9E3779B97F4A7C15UL);
        z = unchecked((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9UL);
        z = unchecked((z ^ (z >> 27)) * 0x94D049BB133111EBUL);
        return z ^ (z >> 31);
    }
}
