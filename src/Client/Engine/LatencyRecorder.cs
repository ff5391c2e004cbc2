using System.Runtime.InteropServices;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Client.Engine;

/// <summary>Records the calls of one thread. The records of all threads are summed after the window.</summary>
internal sealed class LatencyRecorder
{
    private const int MostBuckets = 36_000; // one hour, with 10 buckets per second

    private readonly Dictionary<string, long> failed = [];
    private long[] buckets = [];
    private ReplySizes replies = ReplySizes.None;
    private WindowClock clock = Always();
    private long allOk;
    private long leadBegun, leadEnded, tailBegun, tailEnded;
    private long whole;
    private double parts, received;
    private long completed;

    public LatencyHistogram Latency { get; } = new();

    /// <summary>For successful calls before the window: the times from send to reply. Null without load before the window.</summary>
    public LatencyHistogram? Lead { get; private set; }

    /// <summary>Latencies of calls that were cut off. Null until a call was cut off.</summary>
    public LatencyHistogram? CutOffLatency { get; private set; }

    /// <summary>Times from send to reply. Null in a closed loop.</summary>
    public LatencyHistogram? ServiceTime { get; private set; }

    /// <summary>Times from the due time to the send. Null in a closed loop.</summary>
    public LatencyHistogram? SendLateness { get; private set; }

    /// <summary>
    /// For calls that were due in the window but sent after it: the times from the due time to the end of the window. Null
    /// without such calls.
    /// </summary>
    public LatencyHistogram? SentAfter { get; private set; }

    /// <summary>
    /// Calls sent in the window. <see cref="RecordEnd"/> and <see cref="RecordUnanswered"/> add their failures to this number,
    /// to <see cref="Ended"/>, and to <see cref="CutOff"/> or <see cref="Failed"/>.
    /// </summary>
    public long Started { get; private set; }

    /// <summary>Calls that were sent in the window and succeeded, in the window or after it.</summary>
    public long Ok { get; private set; }

    public long CutOff { get; private set; }

    /// <summary>Calls that were sent in the window and have ended, successfully or not.</summary>
    public long Ended { get; private set; }

    /// <summary>Calls that succeeded in the window, no matter when they began.</summary>
    public long Completed => completed + (long)Math.Round(received);

    /// <summary>Payload bytes of the replies to the <see cref="Completed"/> calls.</summary>
    public ReplySizes Replies => replies;

    /// <summary>Payload bytes of all successful calls of the load, also before and after the window.</summary>
    public long AllBytes { get; private set; }

    /// <summary>The number of successful calls. Each call counts only with the share of its time that lies in the window.</summary>
    public double Credited => whole + parts + received;

    /// <summary>Calls sent so far: before, in and after the window.</summary>
    public long AllBegun => leadBegun + Started + tailBegun;

    /// <summary>Calls that ended so far, successfully or not.</summary>
    public long AllEnded => leadEnded + Ended + tailEnded;

    /// <summary>Calls in flight that were sent before the end of the window.</summary>
    public long Crossing => Unended + Started - Ended;

    /// <summary>Calls in flight that were sent before the window.</summary>
    public long Unended => leadBegun - leadEnded;

    /// <summary>Ended calls that were sent before the window, successful or not.</summary>
    public long LeadEnded => leadEnded;

    /// <summary>When the first call of the window was sent. Meaningless while <see cref="Started"/> is 0.</summary>
    public long FirstSentNs { get; private set; }

    /// <summary>When the last call ended.</summary>
    public long LastDoneNs { get; private set; }

    public IReadOnlyDictionary<string, long> Failed => failed;

    /// <summary>The number of completed calls in each 100 ms of the window.</summary>
    public ReadOnlySpan<long> Buckets => buckets;

    /// <summary>All successful calls so far, inside and outside of windows. May be read from any thread.</summary>
    public long AllOk => Volatile.Read(ref allOk);

    /// <summary>Begins a window, and forgets the records of the previous window.</summary>
    public void Begin(WindowClock window, LoadWindow load)
    {
        var isOpenLoop = load.Rate is not null;
        clock = window;
        Latency.Clear();
        Lead = load.Lead > TimeSpan.Zero ? Lead ?? new() : null; // reused for each slice: a histogram has 270 kB
        Lead?.Clear();
        CutOffLatency = SentAfter = null;
        ServiceTime = isOpenLoop ? new() : null;
        SendLateness = isOpenLoop ? new() : null;
        (Started, Ended, Ok, CutOff, completed, LastDoneNs) = (0, 0, 0, 0, 0, window.StartNs);
        (leadBegun, leadEnded, tailBegun, tailEnded, whole, parts, received) = (0, 0, 0, 0, 0, 0, 0);
        (replies, AllBytes) = (ReplySizes.None, 0);
        failed.Clear();
        if (load.Duration is { } duration)
            buckets = new long[(int)Math.Min((long)(duration.TotalSeconds * 1e9) / Measurement.BucketNs + 1, MostBuckets)];
        else if (buckets.Length == 0)
            buckets = new long[1024];
        Array.Clear(buckets);
    }

    /// <summary>Notes that a call is sent. Returns the part of the load to which the call belongs, for <see cref="Record"/>.</summary>
    public CallPart RecordStart(long intendedNs, long sentNs)
    {
        if (sentNs < clock.BeginNs)
        {
            leadBegun++;
            return CallPart.Lead;
        }
        if (sentNs < clock.EndNs)
        {
            if (Started++ == 0)
                FirstSentNs = sentNs;
            return CallPart.Window;
        }
        tailBegun++;
        if (intendedNs < clock.EndNs && intendedNs >= clock.BeginNs)
            (SentAfter ??= new()).Record(clock.EndNs - intendedNs);
        return CallPart.Tail;
    }

    /// <param name="intendedNs">When the call was due. Its latency counts from this time.</param>
    public void Record(CallPart part, long intendedNs, long sentNs, long doneNs, CallResult result)
    {
        LastDoneNs = doneNs;
        if (part != CallPart.Window)
        {
            RecordOutside(part, sentNs, doneNs, result);
            return;
        }
        Ended++;
        if (!result.IsOk)
        {
            RecordFailure(doneNs - intendedNs, result);
            return;
        }
        Ok++;
        allOk++;
        AllBytes += result.Bytes;
        Latency.Record(doneNs - intendedNs);
        if (ServiceTime is not null)
        {
            ServiceTime.Record(doneNs - sentNs);
            SendLateness!.Record(sentNs - intendedNs);
        }
        if (doneNs <= clock.EndNs)
        {
            whole++;
            CountCompleted(doneNs, result.Bytes);
            return;
        }
        parts += Share(sentNs, doneNs);
    }

    /// <summary>
    /// Notes that a one-way message was written, has arrived from the server, or failed. <see cref="RecordReceipt"/> and
    /// <see cref="RecordArrival"/> count arrivals. For the parameters, see <see cref="Record"/>.
    /// </summary>
    public void RecordWritten(CallPart part, long intendedNs, long sentNs, long doneNs, CallResult result)
    {
        LastDoneNs = doneNs;
        if (part == CallPart.Lead)
            leadEnded++;
        else if (part == CallPart.Tail)
            tailEnded++;
        else
            Ended++;
        if (!result.IsOk)
        {
            if (part == CallPart.Window)
                RecordFailure(doneNs - intendedNs, result);
            else if (part == CallPart.Lead)
                RecordUnanswered(sentNs, doneNs, result);
            return;
        }
        allOk++;
        AllBytes += result.Bytes;
        if (part == CallPart.Lead)
            Lead?.Record(doneNs - sentNs);
        if (part != CallPart.Window)
            return;
        Ok++;
        SendLateness?.Record(sentNs - intendedNs);
    }

    /// <summary>Counts written messages as failed ("not received"), since their stream failed without a receipt.</summary>
    /// <param name="count">The number of these messages that were sent in the window.</param>
    public void RecordUnreceived(long count)
    {
        if (count == 0)
            return;
        Ok -= count;
        allOk -= count;
        CollectionsMarshal.GetValueRefOrAddDefault(failed, "not received", out _) += count;
    }

    /// <summary>
    /// Notes the receiver's report about a stream that has ended. Messages that arrived in the window count as calls that
    /// completed in the window.
    /// </summary>
    public void RecordReceipt(Receipt receipt, long nowNs)
    {
        LastDoneNs = Math.Max(LastDoneNs, nowNs);
        foreach (var (ns, count) in receipt.Latency)
            Latency.Record(ns, count);
        for (var slot = 0; slot < receipt.Slots.Count; slot++)
        {
            var from = receipt.BeginNs + slot * receipt.SlotNs;
            var begin = Math.Max(from, clock.BeginNs);
            // The arrivals within a slot are assumed to be evenly spread. A slot lasts about 1 ms, or more on long streams
            // (ArrivalLog).
            var inside = receipt.Slots[slot] * Math.Max(0, Math.Min(from + receipt.SlotNs, clock.EndNs) - begin) / (double)receipt.SlotNs;
            if (inside <= 0)
                continue;
            var before = Completed;
            received += inside;
            BucketOf(begin) += Completed - before;
        }
    }

    /// <summary>Notes that a message has arrived or failed.</summary>
    /// <param name="dueNs">When the message was due. Null when unknown.</param>
    /// <returns>The part of the load to which the message belongs.</returns>
    public CallPart RecordArrival(long? dueNs, long nowNs, CallResult result)
    {
        var due = dueNs ?? nowNs;
        var part = RecordStart(due, due);
        RecordWritten(part, due, due, nowNs, result);
        if (!result.IsOk)
            return part;
        if (part == CallPart.Window && dueNs is not null)
            Latency.Record(nowNs - due);
        if (nowNs > clock.BeginNs && nowNs <= clock.EndNs)
        {
            whole++;
            CountCompleted(nowNs, result.Bytes);
        }
        return part;
    }

    /// <summary>Notes that a stream of messages ended with an error. The error counts as one more failed call.</summary>
    public void RecordEnd(long nowNs, CallResult result)
    {
        if (Started++ == 0)
            FirstSentNs = nowNs;
        Ended++;
        LastDoneNs = nowNs;
        RecordFailure(0, result);
    }

    /// <summary>
    /// If a failed call was in flight during the whole window, counts the call as one of the window's calls. Without this
    /// rule, a server that answers a stream before the window but never in the window would cause no failure.
    /// </summary>
    public void RecordUnanswered(long sentNs, long doneNs, CallResult result)
    {
        if (sentNs > clock.BeginNs || doneNs < clock.EndNs || clock.EndNs <= clock.BeginNs)
            return;
        if (Started++ == 0)
            FirstSentNs = Math.Max(sentNs, clock.StartNs);
        Ended++;
        RecordFailure(doneNs - Math.Max(sentNs, clock.StartNs), result);
    }

    private static WindowClock Always()
    {
        var clock = new WindowClock(0);
        clock.BeginAt(0);
        return clock;
    }

    /// <summary>Records a call that was sent outside the window. <see cref="Credited"/> gets the share that lies in the window.</summary>
    private void RecordOutside(CallPart part, long sentNs, long doneNs, CallResult result)
    {
        if (part == CallPart.Tail)
            tailEnded++;
        else
            leadEnded++;
        if (!result.IsOk)
        {
            if (part == CallPart.Lead)
                RecordUnanswered(sentNs, doneNs, result);
            return;
        }
        allOk++;
        AllBytes += result.Bytes;
        if (part == CallPart.Tail)
            return;
        if (doneNs <= clock.BeginNs)
        {
            Lead?.Record(doneNs - sentNs);
            return;
        }
        parts += Share(sentNs, doneNs);
        if (doneNs <= clock.EndNs)
            CountCompleted(doneNs, result.Bytes);
    }

    /// <summary>
    /// Returns the share of a call's time that lies in the window. The share is never negative, even if another thread sets
    /// an edge of the window during this method.
    /// </summary>
    private double Share(long sentNs, long doneNs)
    {
        var inside = Math.Min(doneNs, clock.EndNs) - Math.Max(sentNs, clock.BeginNs);
        return Math.Max(0, inside) / (double)Math.Max(1, doneNs - sentNs);
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

    private void CountCompleted(long doneNs, long bytes)
    {
        completed++;
        replies.Add(bytes);
        BucketOf(doneNs)++;
    }

    private ref long BucketOf(long timeNs)
    {
        var index = (int)Math.Min((timeNs - clock.BeginNs) / Measurement.BucketNs, MostBuckets - 1);
        if (index >= buckets.Length)
            Array.Resize(ref buckets, Math.Min(MostBuckets, index * 2));
        return ref buckets[index];
    }
}

/// <summary>The part of the load in which a call was sent.</summary>
internal enum CallPart : byte
{
    /// <summary>Before the window.</summary>
    Lead,

    Window,

    /// <summary>
    /// After the window, until the calls that were in flight at its end have ended. Without this load, these calls would
    /// run on an idle server.
    /// </summary>
    Tail,
}
