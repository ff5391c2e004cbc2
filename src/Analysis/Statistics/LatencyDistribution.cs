namespace IpcBench.Analysis.Statistics;

/// <summary>Latencies of the calls that ended well, with the lower bounds of those that were cut off: percentiles that are no better than the truth.</summary>
public sealed class LatencyDistribution(LatencyCounts ended, LatencyCounts cutOff)
{
    /// <summary>Fewer samples than this beyond a percentile say nothing about it.</summary>
    public const long SamplesBeyond = 100;

    private readonly LatencyCounts all = ended.Add(cutOff);

    /// <summary>Number of calls, those cut off included.</summary>
    public long Count => all.Count;

    /// <summary>All values, with the lower bounds of those cut off.</summary>
    public LatencyCounts Counts => all;

    /// <summary>Whether at least 100 samples lie beyond the percentile.</summary>
    public bool HasDataFor(double percentile) => all.Count * (100 - percentile) / 100 >= SamplesBeyond - 1e-6;

    /// <summary>A percentile in ns; null when there is not enough data.</summary>
    public LatencyReading? At(double percentile) => HasDataFor(percentile) ? Read(percentile) : null;

    /// <summary>The longest in ns; null when there is none.</summary>
    public LatencyReading? Max => all.Count == 0 ? null : new LatencyReading(all.Max, cutOff.Count > 0);

    private LatencyReading Read(double percentile)
    {
        var rank = Math.Max(1, (long)Math.Ceiling(Math.BitDecrement(percentile) / 100 * all.Count));
        var value = all.ValueAtRank(rank);
        // Had every call that was cut off taken for ever, would the answer be another one?
        var couldChange = cutOff.Count > 0 && (rank > ended.Count || ended.ValueAtRank(rank) != value);
        return new LatencyReading(value, couldChange);
    }
}
