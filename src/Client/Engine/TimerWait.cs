using System.Threading.Tasks.Sources;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Engine;

/// <summary>Waits on a scheduler until a given time. Each waiter has one such object and reuses it.</summary>
internal sealed class TimerWait(Scheduler scheduler) : ILoopTimer, IValueTaskSource
{
    private ManualResetValueTaskSourceCore<bool> core;

    /// <summary>Returns a task that completes at the due time, or earlier when <see cref="Scheduler.HurryTimers"/> is called.</summary>
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
