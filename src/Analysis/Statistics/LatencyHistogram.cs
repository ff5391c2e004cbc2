using System.Numerics;
using System.Runtime.CompilerServices;

namespace IpcBench.Analysis.Statistics;

/// <summary>
/// Counts of durations in ns with three significant digits, in HdrHistogram's layout (lowest value 1, 2048 sub-buckets:
/// hdrhistogram.org, AbstractHistogram.java), so that its coding is read by every HdrHistogram library.
/// One writer at a time; merging is addition and loses nothing.
/// </summary>
public sealed class LatencyHistogram
{
    private const int SubBucketMagnitude = 11; // 2^11 = 2048 >= 2 * 10^3
    private const int SubBuckets = 1 << SubBucketMagnitude;

    /// <summary>Longer durations are counted as this one: about 73 minutes.</summary>
    public const long MaxValue = (1L << 42) - 1;

    /// <summary>Number of counters of a histogram.</summary>
    public const int Slots = ((42 - SubBucketMagnitude) << (SubBucketMagnitude - 1)) + SubBuckets;

    private readonly long[] counts = new long[Slots];

    /// <summary>Number of recorded values.</summary>
    public long Count { get; private set; }

    /// <summary>Exact sum of the recorded values in ns; of a decoded histogram, the sum of its slots' middles.</summary>
    public long Sum { get; private set; }

    public ReadOnlySpan<long> Counts => counts;

    /// <summary>Counts one duration; negative ones (a clock never runs backwards, arithmetic may) count as 0.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Record(long nanoseconds)
    {
        var value = Math.Clamp(nanoseconds, 0, MaxValue);
        counts[IndexOf(value)]++;
        Count++;
        Sum += value;
    }

    /// <summary>Counts a duration as often as told.</summary>
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

    /// <summary>The counters that are not empty, as they are now.</summary>
    public LatencyCounts ToCounts() => LatencyCounts.FromSlots(counts);

    /// <summary>HdrHistogram V2 compressed, base64.</summary>
    public string Encode() => HistogramCoding.Encode(ToCounts());

    /// <summary>
    /// Reads what <see cref="Encode"/> or another HdrHistogram library of the same layout wrote; empty text is an empty histogram.
    /// </summary>
    /// <exception cref="FormatException">Not a histogram, damaged, or of another layout.</exception>
    public static LatencyHistogram Decode(string text)
    {
        var histogram = new LatencyHistogram();
        var read = HistogramCoding.Decode(text);
        foreach (var (slot, count) in read)
            histogram.counts[slot] = count;
        (histogram.Count, histogram.Sum) = (read.Count, read.Sum);
        return histogram;
    }

    /// <summary>The slot that counts a duration.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int IndexOf(long value)
    {
        var bucket = 64 - SubBucketMagnitude - BitOperations.LeadingZeroCount((ulong)value | (SubBuckets - 1));
        return (bucket << (SubBucketMagnitude - 1)) + (int)(value >> bucket);
    }

    /// <summary>The shortest duration that a slot counts, in ns.</summary>
    internal static long LowestOf(int slot)
    {
        var bucket = Math.Max(0, (slot >> (SubBucketMagnitude - 1)) - 1);
        return (long)(slot - (bucket << (SubBucketMagnitude - 1))) << bucket;
    }

    /// <summary>The longest duration that a slot counts, in ns: what HdrHistogram reports for it.</summary>
    internal static long HighestOf(int slot) => LowestOf(slot) + (1L << Math.Max(0, (slot >> (SubBucketMagnitude - 1)) - 1)) - 1;
}
