using IpcBench.Transports.Loop;

namespace IpcBench.Client.Engine;

/// <summary>Runs some of the connections, on one event-loop thread or on .NET's thread pool.</summary>
internal abstract class Scheduler : IDisposable
{
    public List<IConnection> Connections { get; } = [];

    /// <summary>Adds a connection that was made for this scheduler.</summary>
    public virtual void Add(IConnection connection) => Connections.Add(connection);

    /// <summary>The recorder of the calling thread.</summary>
    public abstract LatencyRecorder Recorder { get; }

    /// <summary>The number of system calls for the sockets. Null where .NET makes these calls. May be read from any thread.</summary>
    public virtual LoopCounts? Counts => null;

    /// <summary>Begins a window on all recorders, including recorders that are created later.</summary>
    public abstract void BeginWindow(WindowClock clock, LoadWindow window);

    /// <summary>All recorders that exist so far. May be read from any thread, also after the scheduler's end.</summary>
    public abstract IReadOnlyCollection<LatencyRecorder> Recorders { get; }

    /// <summary>Runs the action on a thread of the scheduler. May be called from any thread.</summary>
    public abstract void Post(Action<object?> action, object? state);

    /// <summary>Calls the timer when <see cref="MonotonicClock"/> reaches the due time.</summary>
    public abstract void Schedule(long dueNs, ILoopTimer timer);

    /// <summary>Calls all timers now, before their due times.</summary>
    public abstract void HurryTimers();

    public abstract void Dispose();

    /// <summary>
    /// Runs the action on a thread of the scheduler (<see cref="Post"/>). Code that awaits the returned task continues on
    /// .NET's thread pool. If the action throws, the task fails with the exception.
    /// </summary>
    public Task RunAsync(Func<Task> action)
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Post(async _ =>
        {
            try
            {
                await action();
                done.SetResult();
            }
            catch (Exception e)
            {
                done.SetException(e); // uncaught, an exception of the posted action would end the process
            }
        }, null);
        return done.Task;
    }
}
