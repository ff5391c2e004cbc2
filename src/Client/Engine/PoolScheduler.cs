using IpcBench.Transports.Loop;

namespace IpcBench.Client.Engine;

/// <summary>A scheduler on .NET's threads: each thread has its own recorder, and each connection has a lock.</summary>
internal sealed class PoolScheduler : Scheduler
{
    // The last part of a wait, for which a more precise sleep is used. Monitor.Wait counts in ms and may end 1 ms late. On
    // Windows, it may end one timer tick later still.
    private static readonly long LastStretchNs = OperatingSystem.IsWindows() ? 2_000_000 : 1_000_000;

    private readonly ThreadLocal<LatencyRecorder> own;
    private readonly List<LatencyRecorder> recorders = [];
    private readonly TimerQueue timers = new();
    private readonly SpinBudget spin = new();
    private readonly Thread timerThread;
    private (WindowClock Clock, LoadWindow Load)? current;
    private bool stopping;

    public PoolScheduler()
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

    public override void BeginWindow(WindowClock clock, LoadWindow window)
    {
        lock (recorders)
        {
            current = (clock, window);
            foreach (var recorder in recorders)
                recorder.Begin(clock, window);
        }
    }

    public override void Post(Action<object?> action, object? state) =>
        ThreadPool.UnsafeQueueUserWorkItem(action, state, preferLocal: false);

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
            if (current is (var clock, var window))
                recorder.Begin(clock, window);
            recorders.Add(recorder);
        }
        return recorder;
    }

    private void RunTimers()
    {
        FineSleep.Sharpen();
        while (Next(out var due, out var waitNs))
        {
            if (due is not null)
                due.OnDue();
            else if (waitNs > 0)
                FineSleep.For(waitNs);
            else
                Thread.Yield();
        }
    }

    /// <summary>
    /// Finds a timer that is due. If no timer is due, returns no timer and the time in ns that the caller must sleep. If the first
    /// timer is more than <see cref="LastStretchNs"/> away, this method itself waits until about this time before the timer, or until
    /// another timer is added, and then returns no timer and 0 ns.
    /// </summary>
    /// <returns>False when the scheduler ends.</returns>
    private bool Next(out ILoopTimer? due, out long waitNs)
    {
        (due, waitNs) = (null, 0);
        lock (timers)
        {
            if (stopping)
                return false;
            var now = MonotonicClock.NowNs;
            if (timers.TryTake(now, out due))
                return true;
            waitNs = spin.Next(now, timers.FirstDue);
            if (waitNs <= LastStretchNs)
                return true;
            Monitor.Wait(timers, (int)Math.Min((waitNs - LastStretchNs) / 1_000_000 + 1, 60_000));
            waitNs = 0;
            return true;
        }
    }
}
