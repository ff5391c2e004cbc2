using System.Numerics;
using IpcBench.Protocol.V1;

namespace IpcBench.Protocol;

/// <summary>
/// The arrival times and latencies of one stream's messages, in memory that does not grow with the stream. Arrivals are
/// counted in time slots of equal length. When the slots run out, their length doubles. Latencies are exact to 0.2 %.
/// </summary>
public sealed class ArrivalLog
{
    // At first, a slot is 2^20 ns long (about 1 ms), which is a thousandth of a one-second window. The counts of the slots at
    // the two ends of a window are interpolated.
    private const int FirstSlotBits = 20, Slots = 1024;

    // The values from a power of two to the next are divided into 256 steps. So no step is wider than 1/256 of its values.
    private const int StepBits = 8, Steps = 1 << StepBits;

    private readonly uint[]?[] times = new uint[64][];
    private int[] slots = [];
    private int slotBits = FirstSlotBits, last;
    private long begin;

    /// <summary>Counts a message whose last byte has arrived.</summary>
    /// <param name="stamp">
    /// The time when the message was due, in ns of the same clock as <paramref name="nowNs"/>. 0 when this time is unknown, so
    /// that no latency is counted.
    /// </param>
    /// <param name="nowNs">The present time in ns, never earlier than in the last call.</param>
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

    /// <summary>Returns the log as a protobuf message. Null when no message has arrived.</summary>
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

    /// <summary>
    /// Counts a latency in its step. Each latency below 256 ns has its own step. For a longer latency, the highest nine
    /// bits choose the step.
    /// </summary>
    private void Count(long ns)
    {
        var power = Math.Max(0, BitOperations.Log2((ulong)ns | 1) - StepBits + 1);
        (times[power] ??= new uint[Steps])[power == 0 ? ns : (ns >> (power - 1)) - Steps]++;
    }

    private static long MiddleOf(int power, int step) =>
        power == 0 ? step : ((Steps + (long)step) << (power - 1)) + ((1L << (power - 1)) >> 1);
}
