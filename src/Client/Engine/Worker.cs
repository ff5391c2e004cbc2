using IpcBench.Transports.Loop;

namespace IpcBench.Client.Engine;

/// <summary>The one hot loop: intended start, wait, send, reply, record. One for each stream; all else is a parameter.</summary>
internal class Worker(IStream stream, Pacer pacer, Scheduler scheduler)
{
    private readonly TimerWait? wait = pacer.IsOpenLoop ? new TimerWait(scheduler) : null;
    private readonly IOneWayStream? oneWay = stream as IOneWayStream;
    private long unreceived;

    /// <summary>Calls of this stream that were sent in the window and ended well.</summary>
    public long Calls { get; protected set; }

    /// <summary>
    /// When the call was due that this stream had claimed and did not send because the load was over; null when there is none.
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
                TakeReceipt(CallResult.Ok(0)); // of a stream that has ended meanwhile: the next message is not on it
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
                    return; // the load was ended meanwhile
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

    /// <summary>A stream's messages have come if its receiver says so; with one that breaks those are lost that were on it.</summary>
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

/// <summary>The loop where the server sends: wait for a message, record when it was due and when it came.</summary>
/// <param name="stream">Its place.</param>
/// <param name="pacer">Counts them; when they are due is the sender's business.</param>
/// <param name="scheduler">Where it runs.</param>
/// <param name="perSecond">Messages that the sender is to send on this stream; 0: as fast as it can.</param>
/// <param name="delayNs">When the first is due.</param>
internal sealed class PullWorker(IOneWayStream stream, Pacer pacer, Scheduler scheduler, double perSecond, long delayNs)
    : Worker(stream, pacer, scheduler)
{
    // A stream is silent that waits for so many times the longest gap between its messages.
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
            // Until a message is due nobody has to wait for it.
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
            // Where the next message is the first of another stream, it is due when it would have been on this one.
            if (perSecond > 0)
                stream.Pace(perSecond, Math.Max(0, begun + delayNs + ConstantPacer.OffsetNs(++number, perSecond) - now));
        }
        if (perSecond > 0 && lastDueNs > 0)
            NotSentNs = lastDueNs + gapNs;
    }
}
