using IpcBench.Client.Engine;

namespace IpcBench.Client.Plan;

/// <summary>
/// Decides the order of measurements. Every round measures every cell once, in an order that depends only on the seed
/// and the round. The speed of a machine changes within seconds, so compared cells are measured directly one after
/// another, in randomized blocks (R. A. Fisher, The Design of Experiments, 1935).
/// </summary>
internal static class RoundOrder
{
    /// <summary>Shuffles by Fisher-Yates with SplitMix64, so that a printed seed gives the same order on every runtime version.</summary>
    /// <param name="blockOf">
    /// Returns the block of a cell. Cells of the same block stay together: the blocks are shuffled, and the cells within each block.
    /// </param>
    public static IReadOnlyList<T> Shuffle<T>(IEnumerable<T> cells, Func<T, object> blockOf, long seed, int round)
    {
        var random = new SplitMix64(unchecked((ulong)seed * 0x9E3779B97F4A7C15UL + (ulong)round));
        var blocks = cells.GroupBy(blockOf).Select(block => block.ToArray()).ToArray();
        Shuffle(blocks, ref random);
        foreach (var block in blocks)
            Shuffle(block, ref random);
        return [.. blocks.SelectMany(block => block)];
    }

    /// <summary>Returns an endless sequence of random orders of the items: one order for each block of slices in a round.</summary>
    /// <param name="items">The items that take turns.</param>
    public static IEnumerable<IReadOnlyList<T>> Blocks<T>(IReadOnlyList<T> items, long seed, int round)
    {
        // The random numbers differ from those for the order of the cells.
        var random = new SplitMix64(unchecked(~((ulong)seed * 0x9E3779B97F4A7C15UL + (ulong)round)));
        while (true)
        {
            T[] order = [.. items];
            Shuffle(order, ref random);
            yield return order;
        }
    }

    private static void Shuffle<T>(T[] order, ref SplitMix64 random)
    {
        for (var i = order.Length - 1; i > 0; i--)
        {
            var j = (int)(random.Next() % (ulong)(i + 1));
            (order[i], order[j]) = (order[j], order[i]);
        }
    }
}
