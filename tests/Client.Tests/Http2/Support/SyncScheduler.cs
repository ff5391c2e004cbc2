using IpcBench.Client.Engine;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Tests.Http2.Support;

/// <summary>A scheduler without threads or time: posted actions run at once, and timers when the test fires them.</summary>
internal sealed class SyncScheduler : Scheduler
{
    private readonly LatencyRecorder recorder = new();
    private readonly TimerQueue timers = new();

    public override LatencyRecorder Recorder => recorder;
    public override IReadOnlyCollection<LatencyRecorder> Recorders => [recorder];
    public int Timers => timers.Count;

    public override void BeginWindow(WindowClock clock, LoadWindow window) => recorder.Begin(clock, window);

    /// <summary>Posted actions wait here to be taken. Null: posted actions run at once.</summary>
    public Queue<(Action<object?> Action, object? State)>? Posted { get; init; }

    public override void Post(Action<object?> action, object? state)
    {
        if (Posted is { } posted)
            posted.Enqueue((action, state));
        else
            action(state);
    }

    public override void Schedule(long dueNs, ILoopTimer timer) => timers.Add(dueNs, timer);

    public override void HurryTimers()
    {
        for (var left = timers.Count; left > 0 && timers.TryTake(long.MaxValue, out var timer); left--)
            timer.OnDue();
    }

    public override void Dispose()
    {
    }
}
