using System.Numerics;
using System.Runtime.CompilerServices;

namespace IpcBench.Analysis.Statistics;

/// <summary>
/// Counts durations in ns with three significant digits. The layout is HdrHistogram's (lowest value 1, 2048 sub-buckets:
/// hdrhistogram.org, AbstractHistogram.java), so every HdrHistogram library can read the encoded text. A histogram
/// supports one writer at a time. Merged histograms are exact sums.
/// </summary>
public sealed class LatencyHistogram
{
    private const int SubBucketMagnitude = 11; // 2^11 = 2048 >= 2 * 10^3
    private const int SubBuckets = 1 << SubBucketMagnitude;

    /// <summary>The longest duration in ns, about 73 minutes. A longer duration is counted as this duration.</summary>
    public const long MaxValue = (1L << 42) - 1;

    /// <summary>Number of counters of a histogram.</summary>
    public const int Slots = ((42 - SubBucketMagnitude) << (SubBucketMagnitude - 1)) + SubBuckets;

    private readonly long[] counts = new long[Slots];

    public long Count { get; private set; }

    /// <summary>Exact sum of the recorded values in ns.</summary>
    public long Sum { get; private set; }

    /// <summary>Counts a duration. A negative duration counts as 0 (two clocks may differ a little).</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Record(long nanoseconds)
    {
        var value = Math.Clamp(nanoseconds, 0, MaxValue);
        counts[IndexOf(value)]++;
        Count++;
        Sum += value;
    }

    /// <summary>Counts a duration several times.</summary>
    public void Record(long nanoseconds, long count)
    {
        var value = Math.Clamp(nanoseconds, 0, MaxValue);
        counts[IndexOf(value)] += count;
        Count += count;
        Sum += value * count;
    }

    /// <summary>Adds all values of another histogram.</summary>
    public void Add(LatencyHistogram other)
    {
        for (var i = 0; i < counts.Length; i++)
            counts[i] += other.counts[i];
        Count += other.Count;
        Sum += other.Sum;
    }

    public void Clear()
    {
        Array.Clear(counts);
        (Count, Sum) = (0, 0);
    }

    /// <summary>Copies the non-empty counters.</summary>
    public LatencyCounts ToCounts()
    {
        var (slots, filled) = (new List<int>(), new List<long>());
        for (var i = 0; i < counts.Length; i++)
        {
            if (counts[i] == 0)
                continue;
            slots.Add(i);
            filled.Add(counts[i]);
        }
        return new LatencyCounts([.. slots], [.. filled]);
    }

    /// <summary>Encodes the histogram as compressed HdrHistogram V2 in base64.</summary>
    public string Encode() => HistogramCoding.Encode(ToCounts());

    /// <summary>Returns the slot that counts a duration.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int IndexOf(long value)
    {
        var bucket = 64 - SubBucketMagnitude - BitOperations.LeadingZeroCount((ulong)value | (SubBuckets - 1));
        return (bucket << (SubBucketMagnitude - 1)) + (int)(value >> bucket);
    }

    /// <summary>Returns the shortest duration that a slot counts, in ns.</summary>
    internal static long LowestOf(int slot)
    {
        var bucket = Math.Max(0, (slot >> (SubBucketMagnitude - 1)) - 1);
        return (long)(slot - (bucket << (SubBucketMagnitude - 1))) << bucket;
    }

    /// <summary>Returns the longest duration that a slot counts, in ns. HdrHistogram reports this value for the slot.</summary>
    internal static long HighestOf(int slot) => LowestOf(slot) + (1L << Math.Max(0, (slot >> (SubBucketMagnitude - 1)) - 1)) - 1;
}
