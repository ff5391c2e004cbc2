using IpcBench.Transports.Loop;

namespace IpcBench.Client.Engine;

/// <summary>The one hot loop: intended start, wait, send, reply, record. One for each stream; all else is a parameter.</summary>
internal sealed class Worker(IStream stream, Pacer pacer, Scheduler scheduler)
{
    private readonly TimerWait? wait = pacer.IsOpenLoop ? new TimerWait(scheduler) : null;

    /// <summary>Calls of this stream that were sent in the window and ended well.</summary>
    public long Calls { get; private set; }

    /// <summary>
    /// When the call was due that this stream had claimed and did not send because the load was over; null when there is none.
    /// </summary>
    public long? NotSentNs { get; private set; }

    public async Task RunAsync()
    {
        await CallAsync();
        if (await stream.EndAsync(MonotonicClock.NowNs) is { IsOk: false } wrong)
            scheduler.Recorder.RecordEnd(MonotonicClock.NowNs, wrong);
    }

    private async Task CallAsync()
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
            }
            NotSentNs = null;
            var part = scheduler.Recorder.RecordStart(intended, sent);
            var result = await stream.CallAsync(sent);
            now = MonotonicClock.NowNs;
            if (result.IsOk && part == CallPart.Window)
                Calls++;
            scheduler.Recorder.Record(part, intended, sent, now, result);
        }
    }
}
