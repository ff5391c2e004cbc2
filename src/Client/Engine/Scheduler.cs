using IpcBench.Transports.Loop;

namespace IpcBench.Client.Engine;

/// <summary>Where a share of the connections runs: one thread of ours, or the framework's threads.</summary>
internal abstract class Scheduler : IDisposable
{
    public List<IConnection> Connections { get; } = [];

    /// <summary>The recorder for the thread this is asked on.</summary>
    public abstract LatencyRecorder Recorder { get; }

    /// <summary>All recorders start afresh; those yet to be made, too.</summary>
    public abstract void BeginWindow(WindowClock clock, bool isOpenLoop);

    /// <summary>All recorders that have ever been handed out, as of now. From any thread, after the scheduler's end too.</summary>
    public abstract IReadOnlyCollection<LatencyRecorder> Recorders { get; }

    /// <summary>Runs the action where the scheduler's completions run. From any thread.</summary>
    public abstract void Post(Action<object?> action, object? state);

    /// <summary>Calls the timer when <see cref="MonotonicClock"/> reaches that time.</summary>
    public abstract void Schedule(long dueNs, ILoopTimer timer);

    /// <summary>Calls all timers now.</summary>
    public abstract void HurryTimers();

    public abstract void Dispose();
}
