using IpcBench.Transports.Loop;

namespace IpcBench.Client.Load;

/// <summary>A lane whose completions run on the framework's threads; each thread has its recorder, and connections guard themselves with a lock.</summary>
internal sealed class PoolLane : Lane
{
    // Wakes of the operating system's timers are late by up to this; the rest of a wait is yielded away.
    private const long YieldNs = 1_000_000;

    private readonly ThreadLocal<LatencyRecorder> own;
    private readonly List<LatencyRecorder> recorders = [];
    private readonly TimerQueue timers = new();
    private readonly Thread timerThread;
    private (WindowClock Clock, bool IsOpenLoop)? window;
    private bool stopping;

    public PoolLane()
    {
        own = new(NewRecorder);
        timerThread = new Thread(RunTimers) { Name = "engine timers", IsBackground = true };
        timerThread.Start();
    }

    public override LatencyRecorder Recorder => own.Value!;

    public override IReadOnlyCollection<LatencyRecorder> Recorders
    {
        get
        {
            lock (recorders)
                return [.. recorders];
        }
    }

    public override void BeginWindow(WindowClock clock, bool isOpenLoop)
    {
        lock (recorders)
        {
            window = (clock, isOpenLoop);
            foreach (var recorder in recorders)
                recorder.Begin(clock, isOpenLoop);
        }
    }

    public override void Post(Action<object?> action, object? state) => ThreadPool.UnsafeQueueUserWorkItem(action, state, preferLocal: false);

    public override void Schedule(long dueNs, ILoopTimer timer)
    {
        lock (timers)
        {
            timers.Add(dueNs, timer);
            Monitor.Pulse(timers);
        }
    }

    public override void HurryTimers()
    {
        for (var left = timers.Count; left > 0; left--)
        {
            ILoopTimer timer;
            lock (timers)
            {
                if (!timers.TryTake(long.MaxValue, out timer))
                    return;
            }
            timer.OnDue();
        }
    }

    public override void Dispose()
    {
        lock (timers)
        {
            stopping = true;
            Monitor.Pulse(timers);
        }
        if (Thread.CurrentThread != timerThread)
            timerThread.Join();
        own.Dispose();
    }

    private LatencyRecorder NewRecorder()
    {
        var recorder = new LatencyRecorder();
        lock (recorders)
        {
            if (window is { } current)
                recorder.Begin(current.Clock, current.IsOpenLoop);
            recorders.Add(recorder);
        }
        return recorder;
    }

    private void RunTimers()
    {
        while (true)
        {
            ILoopTimer? due;
            lock (timers)
            {
                if (stopping)
                    return;
                var now = MonotonicClock.NowNs;
                if (!timers.TryTake(now, out due))
                {
                    var wait = timers.FirstDue - now - YieldNs;
                    if (wait > 0)
                        Monitor.Wait(timers, (int)Math.Min(wait / 1_000_000 + 1, 60_000));
                }
            }
            if (due is null)
                Thread.Yield();
            else
                due.OnDue();
        }
    }
}
