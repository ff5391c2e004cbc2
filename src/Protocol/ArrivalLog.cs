using System.Numerics;
using IpcBench.Protocol.V1;

namespace IpcBench.Protocol;

/// <summary>
/// When the messages of one stream came and how long they were under way, in memory that does not grow with the stream: where slots of
/// time run out they become twice as long, and times are counted to 0.2 %.
/// </summary>
public sealed class ArrivalLog
{
    // 2^20 ns, about 1 ms: a window of a second begins and ends within a thousandth of it, and counts are interpolated there.
    private const int FirstSlotBits = 20, Slots = 1024;

    // Each power of two has so many steps, none wider than 1/256 of the value.
    private const int StepBits = 8, Steps = 1 << StepBits;

    private readonly uint[]?[] times = new uint[64][];
    private int[] slots = [];
    private int slotBits = FirstSlotBits, last;
    private long begin;

    /// <summary>Counts a message whose last byte has come.</summary>
    /// <param name="stamp">When it was due, in ns of the same clock; 0: not told, and how long it took is not counted.</param>
    /// <param name="nowNs">Now, never less than the last time.</param>
    public void Add(ulong stamp, long nowNs)
    {
        if (slots.Length == 0)
            (slots, begin) = (new int[Slots], nowNs);
        while ((nowNs - begin) >> slotBits >= Slots)
            Widen();
        last = (int)((nowNs - begin) >> slotBits);
        slots[last]++;
        if (stamp != 0)
            Count(Math.Max(0, nowNs - (long)stamp));
    }

    /// <summary>As a message; null when none has come.</summary>
    public Arrivals? Told()
    {
        if (slots.Length == 0)
            return null;
        var told = new Arrivals { BeginNs = begin, SlotNs = 1L << slotBits };
        foreach (var count in slots.AsSpan(0, last + 1))
            told.Slots.Add(count);
        for (var power = 0; power < times.Length; power++)
        {
            for (var step = 0; times[power] is { } counts && step < Steps; step++)
            {
                if (counts[step] == 0)
                    continue;
                told.LatencyNs.Add(MiddleOf(power, step));
                told.LatencyCount.Add(counts[step]);
            }
        }
        return told;
    }

    private void Widen()
    {
        for (var slot = 0; slot < Slots / 2; slot++)
            slots[slot] = slots[2 * slot] + slots[2 * slot + 1];
        Array.Clear(slots, Slots / 2, Slots / 2);
        slotBits++;
    }

    /// <summary>Below 256 each ns has a step; above, the steps of a power of two have its highest nine bits.</summary>
    private void Count(long ns)
    {
        var power = Math.Max(0, BitOperations.Log2((ulong)ns | 1) - StepBits + 1);
        (times[power] ??= new uint[Steps])[power == 0 ? ns : (ns >> (power - 1)) - Steps]++;
    }

    private static long MiddleOf(int power, int step) =>
        power == 0 ? step : ((Steps + (long)step) << (power - 1)) + ((1L << (power - 1)) >> 1);
}
