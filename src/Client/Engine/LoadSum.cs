using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Client.Engine;

/// <summary>Sums several windows over the same connections, so that the slices of a round become one result.</summary>
internal sealed class LoadSum
{
    private readonly List<double> buckets = [];
    private long[] calls = [], threads = [];

    /// <summary>The sum of the windows that were added. Null until a window was added.</summary>
    public LoadResult? Result { get; private set; }

    /// <summary>Adds a window. The sum may keep the histograms of <paramref name="next"/> and change them later.</summary>
    public void Add(LoadResult next)
    {
        AddBuckets(next);
        calls = Added(calls, next.CallsByConnection);
        threads = Added(threads, next.ThreadCalls);
        Result = Result is { } sum ? Sum(sum, next) : next;
    }

    private LoadResult Sum(LoadResult sum, LoadResult next) => new()
    {
        HasBegun = true,
        WindowNs = sum.WindowNs + next.WindowNs,
        Started = sum.Started + next.Started,
        Ok = sum.Ok + next.Ok,
        Failed = sum.Failed.Concat(next.Failed).GroupBy(kind => kind.Key, kind => kind.Value)
            .ToDictionary(kind => kind.Key, kind => kind.Sum()),
        FailureMessages = sum.FailureMessages.Concat(next.FailureMessages).GroupBy(kind => kind.Key, kind => kind.Value)
            .ToDictionary(kind => kind.Key, kind => kind.First()),
        CutOff = sum.CutOff + next.CutOff,
        Completed = sum.Completed + next.Completed,
        Credited = sum.Credited + next.Credited,
        Replies = sum.Replies + next.Replies,
        AllOk = sum.AllOk + next.AllOk,
        LeadMedianNs = sum.LeadMedianNs,
        PayloadBytes = sum.PayloadBytes + next.PayloadBytes,
        ReceivedBytes = sum.ReceivedBytes + next.ReceivedBytes,
        Latency = Merged(sum.Latency, next.Latency)!,
        CutOffLatency = Merged(sum.CutOffLatency, next.CutOffLatency)!,
        NotSent = sum.NotSent + next.NotSent,
        NotSentLatency = Merged(sum.NotSentLatency, next.NotSentLatency)!,
        ServiceTime = Merged(sum.ServiceTime, next.ServiceTime),
        SendLateness = Merged(sum.SendLateness, next.SendLateness),
        Connections = ConnectionCounts.Sum(sum.Connections, next.Connections, calls),
        CallsByConnection = calls,
        ThreadCalls = threads,
        Buckets = [.. Rounded(buckets)],
        Blocked = sum.Blocked + next.Blocked,
        ServerLost = next.ServerLost,
    };

    private static LatencyHistogram? Merged(LatencyHistogram? sum, LatencyHistogram? next)
    {
        if (next is { Count: > 0 })
            sum?.Add(next);
        return sum;
    }

    private static long[] Added(long[] sum, IReadOnlyList<long> next)
    {
        if (sum.Length < next.Count)
            Array.Resize(ref sum, next.Count);
        for (var i = 0; i < next.Count; i++)
            sum[i] += next[i];
        return sum;
    }

    /// <summary>
    /// Appends a window to the windows before. Within each bucket of the window (at most 100 ms), the calls are assumed to be
    /// evenly spread, and are divided accordingly among the 100 ms buckets of the sum.
    /// </summary>
    private void AddBuckets(LoadResult next)
    {
        var at = Result?.WindowNs ?? 0;
        for (var i = 0; i < next.Buckets.Count; i++)
        {
            var from = at + i * Measurement.BucketNs;
            var length = Math.Min(Measurement.BucketNs, at + next.WindowNs - from);
            for (var begin = from; length > 0 && begin < from + length;)
            {
                var bucket = (int)(begin / Measurement.BucketNs);
                var end = Math.Min(from + length, (bucket + 1) * Measurement.BucketNs);
                while (buckets.Count <= bucket)
                    buckets.Add(0);
                buckets[bucket] += next.Buckets[i] * ((end - begin) / (double)length);
                begin = end;
            }
        }
    }

    /// <summary>Rounds the numbers to whole numbers that have the same sum.</summary>
    private static IEnumerable<long> Rounded(IEnumerable<double> numbers)
    {
        var (sum, given) = (0.0, 0L);
        foreach (var number in numbers)
        {
            sum += number;
            var part = (long)Math.Round(sum) - given;
            given += part;
            yield return part;
        }
    }
}
