using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Client.Engine;

/// <summary>Sums the records of all threads about a window.</summary>
internal static class WindowTotals
{
    public static LoadResult Compute(
        WindowRun run, IReadOnlyList<Scheduler> schedulers, EngineOptions options, WindowReadings readings, string? serverLost)
    {
        var recorders = schedulers.SelectMany(scheduler => scheduler.Recorders).ToList();
        var failed = recorders.SelectMany(recorder => recorder.Failed).GroupBy(kind => kind.Key, kind => kind.Value)
            .ToDictionary(kind => kind.Key, kind => kind.Sum());
        var end = run.Clock.EndNs == long.MaxValue ? recorders.Max(recorder => recorder.LastDoneNs) : run.Clock.EndNs;
        var credited = recorders.Sum(recorder => recorder.Credited);
        var allOk = recorders.Sum(recorder => recorder.AllOk) - readings.OkBefore;
        var allBytes = recorders.Sum(recorder => recorder.AllBytes);
        // A call that is still in flight was cut off but did not end. Its latency is at least the time-out, so the time-out is
        // recorded as its latency.
        var stuck = recorders.Sum(recorder => recorder.Crossing);
        var started = recorders.Sum(recorder => recorder.Started + recorder.Unended);
        var cutOff = Merge(recorders.Select(recorder => recorder.CutOffLatency));
        if (stuck > 0)
            cutOff.Record((long)(options.Timeout.TotalSeconds * 1e9), stuck);
        var notSent = run.NotSent(started);
        IReadOnlyList<long> calls = [.. run.CallsByConnection];
        var result = new LoadResult
        {
            HasBegun = readings.HasBegun,
            WindowNs = end - Begin(run, recorders),
            PlannedNs = run.PlannedNs,
            Started = started,
            Ok = recorders.Sum(recorder => recorder.Ok),
            Failed = failed,
            CutOff = cutOff.Count,
            Completed = recorders.Sum(recorder => recorder.Completed),
            Credited = credited,
            Replies = recorders.Aggregate(ReplySizes.None, (sum, recorder) => sum + recorder.Replies),
            AllOk = allOk,
            LeadMedianNs = run.LeadMedianNs,
            PayloadBytes = (long)Math.Round((run.Window.Flow == Flow.Both ? readings.Payload(allBytes) : null)
                ?? credited * (allBytes / (double)Math.Max(1, allOk))),
            ReceivedBytes = readings.Received,
            FailureMessages = readings.FailureMessages,
            Latency = Merge(recorders.Select(recorder => recorder.Latency)),
            CutOffLatency = cutOff,
            NotSent = notSent.Count,
            NotSentLatency = notSent,
            ServiceTime = run.Window.Rate is null || run.Window.Flow != Flow.Both ? null
                : Merge(recorders.Select(recorder => recorder.ServiceTime)),
            SendLateness = run.Window.Rate is null || run.Window.Flow == Flow.In ? null
                : Merge(recorders.Select(recorder => recorder.SendLateness)),
            Connections = readings.Stats(calls),
            CallsByConnection = calls,
            ThreadCalls = [.. recorders.Select(recorder => recorder.Ok)],
            Buckets = Buckets(recorders, end - run.Clock.BeginNs),
            Blocked = readings.Blocked,
            ServerLost = serverLost,
        };
        return Conserves(result) ? result : throw new InvalidOperationException(
            $"calls were lost inside the tool: {result.Started} started, {result.Ok} ok, {failed.Values.Sum()} failed, "
            + $"{result.CutOff} cut off");
    }

    /// <summary>
    /// Returns when the window began. A window of counted calls begins with its first call (ApacheBench does the same), since
    /// a few calls may take less time than a thread needs to wake up. A window with a duration or a rate begins at its planned
    /// time, so that the window includes the delay of a late start.
    /// </summary>
    private static long Begin(WindowRun run, List<LatencyRecorder> recorders) => run.Window is { Duration: null, Rate: null }
        ? recorders.Where(recorder => recorder.Started > 0).Select(recorder => recorder.FirstSentNs).DefaultIfEmpty(run.Clock.BeginNs).Min()
        : run.Clock.BeginNs;

    private static bool Conserves(LoadResult result) => result.Started == result.Ok + result.Failed.Values.Sum() + result.CutOff;

    internal static LatencyHistogram Merge(IEnumerable<LatencyHistogram?> parts)
    {
        var sum = new LatencyHistogram();
        foreach (var part in parts)
        {
            if (part is { Count: > 0 })
                sum.Add(part);
        }
        return sum;
    }

    private static long[] Buckets(List<LatencyRecorder> recorders, long windowNs)
    {
        var sum = new long[(windowNs + Measurement.BucketNs - 1) / Measurement.BucketNs];
        foreach (var recorder in recorders)
        {
            for (var i = 0; i < Math.Min(sum.Length, recorder.Buckets.Length); i++)
                sum[i] += recorder.Buckets[i];
        }
        return sum;
    }
}

/// <summary>
/// Collects the calls of an open loop that were due in the window but not sent in it, since all streams were busy. Without these
/// calls, the slowest calls would be missing from the latencies. The latency of an unsent call is at least the time from its
/// due time to the window's end.
/// </summary>
/// <param name="beginNs">The begin of the window. Calls due before it do not count.</param>
/// <param name="endNs">The end of the window. Calls due at or after it do not count.</param>
/// <param name="most">The largest number of calls to collect: the number of calls that the load had still to send.</param>
internal sealed class UnsentCalls(long beginNs, long endNs, long most)
{
    private const long MostSingly = 1_000_000, Groups = 100_000;

    /// <summary>For each collected call, the time from its due time to the end of the window.</summary>
    public LatencyHistogram Waits { get; } = new();

    /// <param name="dues">The due times of calls that streams claimed but did not send.</param>
    public void AddClaimed(IEnumerable<long> dues)
    {
        foreach (var due in dues)
        {
            if (due >= beginNs && due < endNs && Waits.Count < most)
                Waits.Record(endNs - due);
        }
    }

    /// <summary>Adds the calls that no stream has claimed.</summary>
    /// <param name="pacer">The pacer of the load. No worker uses the pacer any more.</param>
    /// <param name="perSecond">The mean rate of the pacer.</param>
    public void AddUnclaimed(Pacer pacer, double perSecond)
    {
        var claimed = 0L;
        while (Waits.Count < most && pacer.Claim(endNs) is var due && due < endNs)
        {
            if (claimed++ >= MostSingly)
            {
                AddEvenly(Math.Max(due, beginNs), perSecond);
                return;
            }
            if (due >= beginNs)
                Waits.Record(endNs - due);
        }
    }

    /// <summary>Adds messages that one sender had to send at equal intervals, the first at <paramref name="firstDue"/>.</summary>
    public void AddFrom(long firstDue, double perSecond)
    {
        if (firstDue < beginNs)
            firstDue += (long)(Math.Ceiling((beginNs - firstDue) * (perSecond / 1e9)) * (1e9 / perSecond));
        if (firstDue < endNs)
            AddEvenly(firstDue, perSecond);
    }

    /// <summary>
    /// Adds calls in groups. All calls of a group count with the shortest wait in the group. If the rate is far higher than
    /// the server can serve, there are billions of unsent calls, too many to add one by one.
    /// </summary>
    private void AddEvenly(long firstDue, double perSecond)
    {
        var left = Math.Min(most - Waits.Count, (long)Math.Ceiling((endNs - firstDue) * (perSecond / 1e9)));
        var step = left / Groups + 1;
        for (var from = 0L; from < left; from += step)
        {
            var count = Math.Min(step, left - from);
            Waits.Record(endNs - firstDue - ConstantPacer.OffsetNs(from + count - 1, perSecond), count);
        }
    }
}
