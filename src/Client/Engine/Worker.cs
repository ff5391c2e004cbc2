using IpcBench.Transports.Loop;

namespace IpcBench.Client.Engine;

/// <summary>
/// Runs the hot loop of one stream: claim a call, wait until the call is due, send it, wait for the reply, record the times.
/// The parameters hide the protocol, the schedule and the threads from this loop.
/// </summary>
internal class Worker(IStream stream, Pacer pacer, Scheduler scheduler)
{
    private readonly TimerWait? wait = pacer.IsOpenLoop ? new TimerWait(scheduler) : null;
    private readonly IOneWayStream? oneWay = stream as IOneWayStream;
    private long unreceived;

    /// <summary>The number of this stream's calls that were sent in the window and succeeded.</summary>
    public long Calls { get; protected set; }

    /// <summary>
    /// The due time of a call that this stream claimed but did not send, because the load had ended. Null without such a call.
    /// </summary>
    public long? NotSentNs { get; protected set; }

    public async Task RunAsync()
    {
        stream.OnWorker(this);
        await CallAsync();
        var end = await stream.EndAsync(MonotonicClock.NowNs);
        if (!end.IsOk)
            scheduler.Recorder.RecordEnd(MonotonicClock.NowNs, end);
        TakeReceipt(end);
    }

    protected Pacer Pacer => pacer;

    protected Scheduler Scheduler => scheduler;

    protected virtual async Task CallAsync()
    {
        var now = MonotonicClock.NowNs;
        while (true)
        {
            var ready = stream.ReadyAsync();
            if (!ready.IsCompletedSuccessfully)
            {
                if (!await ready)
                    return;
                now = MonotonicClock.NowNs;
                TakeReceipt(CallResult.Ok(0)); // there is a report if the stream has ended during the wait
            }
            else if (!ready.Result)
            {
                return;
            }
            var mayStart = pacer.Next(now, out var intended);
            NotSentNs = intended;
            if (!mayStart)
                return;
            var sent = now;
            if (intended > now)
            {
                await wait!.UntilAsync(intended);
                if (MonotonicClock.NowNs < intended || !await stream.ReadyAsync())
                    return; // the load has ended during the wait
                sent = MonotonicClock.NowNs;
                TakeReceipt(CallResult.Ok(0));
            }
            NotSentNs = null;
            var part = scheduler.Recorder.RecordStart(intended, sent);
            oneWay?.SetDue(part == CallPart.Window ? intended : 0);
            var result = await stream.CallAsync(sent);
            now = MonotonicClock.NowNs;
            if (result.IsOk && part == CallPart.Window)
                Calls++;
            if (oneWay is null)
            {
                scheduler.Recorder.Record(part, intended, sent, now, result);
                continue;
            }
            scheduler.Recorder.RecordWritten(part, intended, sent, now, result);
            if (result.IsOk && part == CallPart.Window)
                unreceived++;
            TakeReceipt(result);
        }
    }

    /// <summary>
    /// Takes the receiver's report, if there is one, and records how many messages arrived and when. If the stream failed without a
    /// report, its messages count as not received.
    /// </summary>
    private void TakeReceipt(CallResult last)
    {
        if (oneWay?.TakeReceipt() is { } receipt)
        {
            scheduler.Recorder.RecordReceipt(receipt, MonotonicClock.NowNs);
        }
        else if (last.IsOk)
        {
            return;
        }
        else
        {
            scheduler.Recorder.RecordUnreceived(unreceived);
            Calls -= unreceived;
        }
        unreceived = 0;
    }
}

/// <summary>Runs the loop for messages that the server sends: wait for a message, then record its due time and its arrival.</summary>
/// <param name="pacer">Counts the messages. The sender decides when they are due.</param>
/// <param name="scheduler">Runs the worker.</param>
/// <param name="perSecond">The rate at which the sender sends on this stream. 0 means as fast as possible.</param>
/// <param name="delayNs">The time from the opening of the stream until its first message is due, in ns.</param>
internal sealed class PullWorker(IOneWayStream stream, Pacer pacer, Scheduler scheduler, double perSecond, long delayNs)
    : Worker(stream, pacer, scheduler)
{
    // A stream counts as silent when no message has arrived for this many times the longest gap between its messages.
    private const int SilentGaps = 10;

    private readonly IOneWayStream stream = stream;
    private long lastDueNs, longestNs;

    protected override async Task CallAsync()
    {
        stream.Pace(perSecond, delayNs);
        var gapNs = perSecond > 0 ? (long)(1e9 / perSecond) : 0;
        var (begun, number) = (MonotonicClock.NowNs, 0L);
        for (var now = begun; await stream.ReadyAsync() && Pacer.Next(now, out _);)
        {
            // The time-out counts from the due time of the message.
            var expected = now + gapNs + delayNs;
            var result = await stream.CallAsync(expected);
            if (result.IsOver)
            {
                now = MonotonicClock.NowNs;
                if (now - expected > SilentGaps * longestNs)
                    Scheduler.Recorder.RecordUnanswered(number == 0 ? 0 : expected, now, CallResult.CutOff);
                break;
            }
            longestNs = Math.Max(longestNs, MonotonicClock.NowNs - now);
            now = MonotonicClock.NowNs;
            var due = result.IsOk ? stream.DueNs(now) : now;
            lastDueNs = due ?? 0;
            if (Scheduler.Recorder.RecordArrival(due, now, result) == CallPart.Window && result.IsOk)
                Calls++;
            // The next message may be the first of a new stream. In that case it keeps the due time that it had on the old stream.
            if (perSecond > 0)
                stream.Pace(perSecond, Math.Max(0, begun + delayNs + ConstantPacer.OffsetNs(++number, perSecond) - now));
        }
        if (perSecond > 0 && lastDueNs > 0)
            NotSentNs = lastDueNs + gapNs;
    }
}
