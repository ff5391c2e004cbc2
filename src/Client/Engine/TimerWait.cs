using System.Threading.Tasks.Sources;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Engine;

/// <summary>Waits for a moment on a scheduler; one for each who waits, reused for every wait.</summary>
internal sealed class TimerWait(Scheduler scheduler) : ILoopTimer, IValueTaskSource
{
    private ManualResetValueTaskSourceCore<bool> core;

    /// <summary>Completes at that time, or earlier when the scheduler's timers are hurried.</summary>
    public ValueTask UntilAsync(long dueNs)
    {
        core.Reset();
        var wait = new ValueTask(this, core.Version);
        scheduler.Schedule(dueNs, this);
        return wait;
    }

    public void OnDue() => core.SetResult(true);

    public void GetResult(short token) => core.GetResult(token);

    public ValueTaskSourceStatus GetStatus(short token) => core.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        core.OnCompleted(continuation, state, token, flags);
}
