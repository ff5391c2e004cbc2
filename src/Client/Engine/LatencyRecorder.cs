using System.Runtime.InteropServices;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Client.Engine;

/// <summary>What one thread notes of the calls it completes; summed over the threads after the window.</summary>
internal sealed class LatencyRecorder
{
    /// <summary>Length of a bucket.</summary>
    public const long BucketNs = 100_000_000;

    private const int MostBuckets = 36_000; // an hour

    private readonly Dictionary<string, long> failed = [];
    private long[] buckets = [];
    private WindowClock? clock;
    private long allOk;

    public LatencyHistogram Latency { get; } = new();

    /// <summary>Null until a call was cut off.</summary>
    public LatencyHistogram? CutOffLatency { get; private set; }

    /// <summary>Null in a closed loop.</summary>
    public LatencyHistogram? ServiceTime { get; private set; }

    /// <summary>Null in a closed loop.</summary>
    public LatencyHistogram? SendLateness { get; private set; }

    public long Started { get; private set; }
    public long Ok { get; private set; }
    public long CutOff { get; private set; }

    /// <summary>Calls that ended well before the window did.</summary>
    public long Completed { get; private set; }

    /// <summary>Calls that ended in whatever way.</summary>
    public long Ended { get; private set; }

    /// <summary>When the first call of the window was sent; of no meaning while <see cref="Started"/> is 0.</summary>
    public long FirstSentNs { get; private set; }

    /// <summary>When the last call of the window ended.</summary>
    public long LastDoneNs { get; private set; }

    public IReadOnlyDictionary<string, long> Failed => failed;

    /// <summary>Completed calls in each 100 ms of the window.</summary>
    public ReadOnlySpan<long> Buckets => buckets;

    /// <summary>Calls that ended well in all windows; may be read from any thread.</summary>
    public long AllOk => Volatile.Read(ref allOk);

    /// <summary>Forgets the last window.</summary>
    public void Begin(WindowClock window, bool isOpenLoop)
    {
        clock = window;
        Latency.Clear();
        CutOffLatency = null;
        ServiceTime = isOpenLoop ? new() : null;
        SendLateness = isOpenLoop ? new() : null;
        (Started, Ended, Ok, CutOff, Completed, LastDoneNs) = (0, 0, 0, 0, 0, window.StartNs);
        failed.Clear();
        if (buckets.Length == 0 || window.EndNs != long.MaxValue)
        {
            var length = (window.EndNs - window.StartNs) / BucketNs + 1;
            buckets = new long[window.EndNs == long.MaxValue ? 1024 : (int)Math.Min(length, MostBuckets)];
        }
        Array.Clear(buckets);
    }

    public void RecordStart(long sentNs)
    {
        if (Started++ == 0)
            FirstSentNs = sentNs;
    }

    /// <param name="intendedNs">When the call should have started: what its latency counts from.</param>
    public void Record(long intendedNs, long sentNs, long doneNs, CallResult result)
    {
        LastDoneNs = doneNs;
        Ended++;
        if (!result.IsOk)
        {
            RecordFailure(doneNs - intendedNs, result);
            return;
        }
        Ok++;
        allOk++;
        Latency.Record(doneNs - intendedNs);
        if (ServiceTime is not null)
        {
            ServiceTime.Record(doneNs - sentNs);
            SendLateness!.Record(sentNs - intendedNs);
        }
        if (doneNs <= clock!.EndNs)
        {
            Completed++;
            CountInBucket(doneNs - clock.StartNs);
        }
    }

    private void RecordFailure(long elapsedNs, CallResult result)
    {
        if (result.IsCutOff)
        {
            CutOff++;
            (CutOffLatency ??= new()).Record(elapsedNs);
            return;
        }
        CollectionsMarshal.GetValueRefOrAddDefault(failed, result.Kind, out _)++;
    }

    private void CountInBucket(long offsetNs)
    {
        var index = (int)Math.Min(offsetNs / BucketNs, MostBuckets - 1);
        if (index >= buckets.Length)
            Array.Resize(ref buckets, Math.Min(MostBuckets, index * 2));
        buckets[index]++;
    }
}
