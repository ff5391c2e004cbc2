namespace IpcBench.Analysis.Statistics;

/// <summary>
/// The non-empty counters of a <see cref="LatencyHistogram"/>, compact and immutable. Reports read percentiles from them.
/// The enumerator gives slots and counts. Some values may be lower bounds, namely those of calls that were cut off or not
/// sent. A percentile that such calls could raise noticeably is a lower bound too (<see cref="IsBoundAt"/>).
/// </summary>
public sealed class LatencyCounts
{
    /// <summary>A percentile is unknown when fewer samples than this number lie beyond the percentile.</summary>
    public const long SamplesBeyond = 100;

    private readonly int[] slots;
    private readonly long[] cumulated;

    // The counts of the values that are exact. Null when no value is a lower bound.
    private LatencyCounts? ended;

    internal LatencyCounts(int[] slots, long[] counts)
    {
        this.slots = slots;
        cumulated = counts;
        for (var i = 1; i < counts.Length; i++)
            cumulated[i] += cumulated[i - 1];
    }

    private LatencyCounts(LatencyCounts other) => (slots, cumulated) = (other.slots, other.cumulated);

    public static LatencyCounts Empty { get; } = new([], []);

    public long Count => cumulated.Length == 0 ? 0 : cumulated[^1];

    /// <summary>Longest value in ns, to three digits. 0 when empty.</summary>
    public long Max => slots.Length == 0 ? 0 : LatencyHistogram.HighestOf(slots[^1]);

    /// <summary>Shortest value in ns, to three digits. 0 when empty.</summary>
    public long Min => slots.Length == 0 ? 0 : LatencyHistogram.LowestOf(slots[0]);

    /// <summary>Sum of the values in ns, to three digits.</summary>
    public double Sum => Aggregate(0.0, (sum, entry) => sum + (double)MiddleOf(entry.Slot) * entry.Count);

    /// <summary>Whether at least <see cref="SamplesBeyond"/> samples lie beyond the percentile.</summary>
    public bool HasDataFor(double percentile) => Count * (100 - percentile) / 100 >= SamplesBeyond - 1e-6;

    /// <summary>Returns a percentile in ns. Null when there is not enough data.</summary>
    public double? At(double percentile) => HasDataFor(percentile) ? ValueAtRank(RankOf(percentile)) : null;

    /// <summary>
    /// Whether the percentile is only a lower bound: it would be higher by more than <see cref="LeastRise"/> if the
    /// calls with lower bounds had never ended.
    /// </summary>
    public bool IsBoundAt(double percentile) =>
        ended is not null && HasDataFor(percentile) && RankOf(percentile) is var rank
            && (rank > ended.Count || ended.ValueAtRank(rank) > (1 + LeastRise) * ValueAtRank(rank));

    // A smaller rise is no reason for a doubt: one call among thousands changes the last digit of a percentile.
    private const double LeastRise = 0.005;

    /// <summary>The longest value in ns. Null without values.</summary>
    public double? Longest => Count == 0 ? null : Max;

    /// <summary>Whether some values are lower bounds. Then the longest value is a lower bound too.</summary>
    public bool HasBounds => ended is not null;

    /// <summary>
    /// Returns the value in ns that this percentage of all values do not exceed, as HdrHistogram's getValueAtPercentile
    /// does. 0 when empty.
    /// </summary>
    public long ValueAt(double percentile)
    {
        if (Count == 0)
            return 0;
        return ValueAtRank(RankOf(Math.Clamp(percentile, 0, 100)));
    }

    /// <summary>Returns the n-th shortest value in ns, for n from 1 to <see cref="Count"/>.</summary>
    public long ValueAtRank(long rank)
    {
        var found = Array.BinarySearch(cumulated, rank);
        return LatencyHistogram.HighestOf(slots[found < 0 ? ~found : found]);
    }

    /// <summary>Counts the recorded values of at most <paramref name="value"/> ns, to three digits.</summary>
    public long CountUpTo(long value)
    {
        var found = Array.BinarySearch(slots, LatencyHistogram.IndexOf(Math.Clamp(value, 0, LatencyHistogram.MaxValue)));
        var last = found < 0 ? ~found - 1 : found;
        return last < 0 ? 0 : cumulated[last];
    }

    /// <summary>Sums the recorded values of more than <paramref name="value"/> ns, to three digits.</summary>
    public double SumBeyond(long value)
    {
        var limit = LatencyHistogram.IndexOf(Math.Clamp(value, 0, LatencyHistogram.MaxValue));
        return Aggregate(0.0, (sum, entry) => entry.Slot > limit ? sum + (double)MiddleOf(entry.Slot) * entry.Count : sum);
    }

    /// <summary>Returns the values of both histograms together.</summary>
    public LatencyCounts Add(LatencyCounts other)
    {
        if (other.Count == 0 || Count == 0)
            return other.Count == 0 ? this : other;
        var sums = new SortedDictionary<int, long>();
        foreach (var (slot, count) in this)
            sums[slot] = count;
        foreach (var (slot, count) in other)
            sums[slot] = sums.GetValueOrDefault(slot) + count;
        return new LatencyCounts([.. sums.Keys], [.. sums.Values]);
    }

    /// <summary>Returns these values together with <paramref name="bounds"/>, which are lower bounds.</summary>
    public LatencyCounts WithBounds(LatencyCounts bounds)
    {
        if (bounds.Count == 0)
            return this;
        var all = Count == 0 ? new LatencyCounts(bounds) : Add(bounds);
        all.ended = this;
        return all;
    }

    /// <summary>
    /// Reads the output of <see cref="LatencyHistogram.Encode"/> or of another HdrHistogram library with the same layout. An
    /// empty text is an empty histogram.
    /// </summary>
    /// <exception cref="FormatException">The text is not a histogram, is damaged, or has another layout.</exception>
    public static LatencyCounts Decode(string text) => HistogramCoding.Decode(text);

    public IEnumerator<(int Slot, long Count)> GetEnumerator()
    {
        for (var i = 0; i < slots.Length; i++)
            yield return (slots[i], i == 0 ? cumulated[0] : cumulated[i] - cumulated[i - 1]);
    }

    /// <summary>Lists the slots and counts from the longest value to the shortest.</summary>
    public IEnumerable<(int Slot, long Count)> Descending()
    {
        for (var i = slots.Length - 1; i >= 0; i--)
            yield return (slots[i], i == 0 ? cumulated[0] : cumulated[i] - cumulated[i - 1]);
    }

    internal static long MiddleOf(int slot) => (LatencyHistogram.LowestOf(slot) + LatencyHistogram.HighestOf(slot) + 1) / 2;

    private long RankOf(double percentile) => Math.Max(1, (long)Math.Ceiling(Math.BitDecrement(percentile) / 100 * Count));

    private TResult Aggregate<TResult>(TResult seed, Func<TResult, (int Slot, long Count), TResult> step)
    {
        foreach (var entry in this)
            seed = step(seed, entry);
        return seed;
    }
}
