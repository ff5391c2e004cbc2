using System.Runtime.InteropServices;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Client.Engine;

/// <summary>What one thread notes of the calls it completes; summed over the threads after the window.</summary>
internal sealed class LatencyRecorder
{
    private const int MostBuckets = 36_000; // an hour

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

    /// <summary>From the send to the reply of calls sent before the window; null where no load goes before it.</summary>
    public LatencyHistogram? Lead { get; private set; }

    /// <summary>Null until a call was cut off.</summary>
    public LatencyHistogram? CutOffLatency { get; private set; }

    /// <summary>Null in a closed loop.</summary>
    public LatencyHistogram? ServiceTime { get; private set; }

    /// <summary>Null in a closed loop.</summary>
    public LatencyHistogram? SendLateness { get; private set; }

    /// <summary>
    /// From when calls were due to the end of the window, of those that were due in it and sent after it; null until there is one.
    /// </summary>
    public LatencyHistogram? SentAfter { get; private set; }

    /// <summary>Calls sent in the window.</summary>
    public long Started { get; private set; }

    /// <summary>
    /// Calls that began in the window and succeeded, in the window or after it. <see cref="CutOff"/> and <see cref="Failed"/> also count
    /// calls by their begin.
    /// </summary>
    public long Ok { get; private set; }

    public long CutOff { get; private set; }

    /// <summary>Calls that began in the window and have ended, well or not.</summary>
    public long Ended { get; private set; }

    /// <summary>Calls that ended well in the window, wherever they began.</summary>
    public long Completed => completed + (long)Math.Round(received);

    /// <summary>Payload of those calls' replies.</summary>
    public ReplySizes Replies => replies;

    /// <summary>Payload of the replies to all calls of the load, those before and after the window too.</summary>
    public long AllBytes { get; private set; }

    /// <summary>Of each call that ended well the share of its time that lies in the window.</summary>
    public double Credited => whole + parts + received;

    /// <summary>Calls sent so far, before, in and after the window.</summary>
    public long AllBegun => leadBegun + Started + tailBegun;

    /// <summary>Those of them that ended in whatever way.</summary>
    public long AllEnded => leadEnded + Ended + tailEnded;

    /// <summary>Calls sent before the end of the window that are still out.</summary>
    public long Crossing => Unended + Started - Ended;

    /// <summary>Calls sent before the window that are still in flight: it had no answer for them.</summary>
    public long Unended => leadBegun - leadEnded;

    /// <summary>Calls sent before the window that ended, in whatever way.</summary>
    public long LeadEnded => leadEnded;

    /// <summary>When the first call of the window was sent; of no meaning while <see cref="Started"/> is 0.</summary>
    public long FirstSentNs { get; private set; }

    /// <summary>When the last call ended.</summary>
    public long LastDoneNs { get; private set; }

    public IReadOnlyDictionary<string, long> Failed => failed;

    /// <summary>Completed calls in each 100 ms of the window.</summary>
    public ReadOnlySpan<long> Buckets => buckets;

    /// <summary>Calls that ended well in all windows; may be read from any thread.</summary>
    public long AllOk => Volatile.Read(ref allOk);

    /// <summary>Forgets the last window.</summary>
    public void Begin(WindowClock window, LoadWindow load)
    {
        var isOpenLoop = load.Rate is not null;
        clock = window;
        Latency.Clear();
        Lead = load.Lead > TimeSpan.Zero ? Lead ?? new() : null; // 270 kB: no new one for each slice
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

    /// <summary>Notes that a call is sent, and where it belongs: to be handed back when it ends, on whatever thread that is.</summary>
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

    /// <param name="part">As <see cref="RecordStart"/> said.</param>
    /// <param name="intendedNs">When the call should have started: what its latency counts from.</param>
    /// <param name="sentNs">When it was sent.</param>
    /// <param name="doneNs">When it ended.</param>
    /// <param name="result">How.</param>
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

    /// <summary>Notes that a message was written whose receiver tells when it came; see <see cref="Record"/>.</summary>
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

    /// <summary>Notes that messages which were written have no receipt: their stream did not end well.</summary>
    /// <param name="count">Of those in the window.</param>
    public void RecordUnreceived(long count)
    {
        if (count == 0)
            return;
        Ok -= count;
        allOk -= count;
        CollectionsMarshal.GetValueRefOrAddDefault(failed, "not received", out _) += count;
    }

    /// <summary>Notes what a receiver says of a stream that has ended: those that came inside the window are its calls.</summary>
    public void RecordReceipt(Receipt receipt, long nowNs)
    {
        LastDoneNs = Math.Max(LastDoneNs, nowNs);
        foreach (var (ns, count) in receipt.Latency)
            Latency.Record(ns, count);
        for (var slot = 0; slot < receipt.Slots.Count; slot++)
        {
            var from = receipt.BeginNs + slot * receipt.SlotNs;
            var begin = Math.Max(from, clock.BeginNs);
            // Evenly within a slot: its length is a thousandth of the window, or of the load before it.
            var inside = receipt.Slots[slot] * Math.Max(0, Math.Min(from + receipt.SlotNs, clock.EndNs) - begin) / (double)receipt.SlotNs;
            if (inside <= 0)
                continue;
            var before = Completed;
            received += inside;
            BucketOf(begin) += Completed - before;
        }
    }

    /// <summary>Notes that a message has come, or that one failed.</summary>
    /// <param name="dueNs">When it was due; null: nobody knows.</param>
    /// <param name="nowNs">Now.</param>
    /// <param name="result">How.</param>
    /// <returns>Where it belongs.</returns>
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

    /// <summary>Notes that a stream which outlives its calls did not end well: one more failed call.</summary>
    public void RecordEnd(long nowNs, CallResult result)
    {
        if (Started++ == 0)
            FirstSentNs = nowNs;
        Ended++;
        LastDoneNs = nowNs;
        RecordFailure(0, result);
    }

    /// <summary>
    /// Notes a call that was in flight for all of the window and was not answered well: the window has seen it as it has seen those that
    /// it began. Else a server that answers a stream before the window and never in it would not be noticed.
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

    /// <summary>Of such a call the window gets what lies in it, and nothing else.</summary>
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

    /// <summary>The share of a call's time that lies in the window. An edge may have been set a moment after it was looked at.</summary>
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

/// <summary>When a call was sent, as the window sees it.</summary>
internal enum CallPart : byte
{
    /// <summary>Before the window had begun.</summary>
    Lead,

    Window,

    /// <summary>After its end, so that calls that cross it do not run on a server that empties.</summary>
    Tail,
}
