using IpcBench.Client.Engine;

namespace IpcBench.Client.Plan;

/// <summary>Interleaving: every round visits every cell once, in an order of its own that the seed alone decides.</summary>
internal static class RoundOrder
{
    /// <summary>Fisher-Yates with SplitMix64, so that a printed seed gives the same order on every runtime version.</summary>
    public static IReadOnlyList<T> Shuffle<T>(IEnumerable<T> cells, long seed, int round)
    {
        var order = cells.ToArray();
        var random = new SplitMix64(unchecked((ulong)seed * 0x9E3779B97F4A7C15UL + (ulong)round));
        for (var i = order.Length - 1; i > 0; i--)
        {
            var j = (int)(random.Next() % (ulong)(i + 1));
            (order[i], order[j]) = (order[j], order[i]);
        }
        return order;
    }
}
