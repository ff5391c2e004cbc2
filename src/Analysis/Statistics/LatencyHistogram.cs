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
    private const int HalfBuckets = SubBuckets / 2;

    /// <summary>Longer durations are counted as this one: about 73 minutes.</summary>
    public const long MaxValue = (1L << 42) - 1;

    private readonly long[] counts = new long[IndexOf(MaxValue) + 1];

    /// <summary>Number of recorded values.</summary>
    public long Count { get; private set; }

    /// <summary>Exact sum of the recorded values in ns.</summary>
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

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int IndexOf(long value)
    {
        var bucket = 64 - SubBucketMagnitude - BitOperations.LeadingZeroCount((ulong)value | (SubBuckets - 1));
        return (bucket << (SubBucketMagnitude - 1)) + (int)(value >> bucket);
    }
}
