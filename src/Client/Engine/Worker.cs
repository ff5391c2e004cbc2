using IpcBench.Transports.Loop;

namespace IpcBench.Client.Engine;

/// <summary>The one hot loop: intended start, wait, send, reply, record. One for each stream; all else is a parameter.</summary>
internal sealed class Worker(ICaller caller, IPacer pacer, IStopRule stop, Lane lane)
{
    private readonly TimerWait? wait = pacer.IsOpenLoop ? new TimerWait(lane) : null;

    /// <summary>Calls of this stream that ended well.</summary>
    public long Calls { get; private set; }

    /// <summary>When the call was due that this stream had claimed and did not send because the window was over; null when there is none.</summary>
    public long? NotSentNs { get; private set; }

    public async Task RunAsync()
    {
        var now = MonotonicClock.NowNs;
        while (true)
        {
            var ready = caller.ReadyAsync();
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
            var intended = pacer.Next(now);
            NotSentNs = intended;
            if (!stop.MayStart(intended, now))
                return;
            var sent = now;
            if (intended > now)
            {
                await wait!.UntilAsync(intended);
                if (MonotonicClock.NowNs < intended || !await caller.ReadyAsync())
                    return; // the window was ended early
                sent = MonotonicClock.NowNs;
            }
            NotSentNs = null;
            lane.Recorder.RecordStart(sent);
            var result = await caller.CallAsync(sent);
            now = MonotonicClock.NowNs;
            if (result.IsOk)
                Calls++;
            lane.Recorder.Record(intended, sent, now, result);
        }
    }
}
