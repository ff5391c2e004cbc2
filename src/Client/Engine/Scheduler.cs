using System.Runtime.Versioning;
using System.Threading.Tasks.Sources;
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

    /// <summary>Begins a window on all recorders, including those that are created later.</summary>
    public abstract void BeginWindow(WindowClock clock, LoadWindow window);

    /// <summary>All recorders that exist so far. May be read from any thread, also after the scheduler's end.</summary>
    public abstract IReadOnlyCollection<LatencyRecorder> Recorders { get; }

    /// <summary>Runs the action on the scheduler's thread. May be called from any thread.</summary>
    public abstract void Post(Action<object?> action, object? state);

    /// <summary>Calls the timer when <see cref="MonotonicClock"/> reaches the due time.</summary>
    public abstract void Schedule(long dueNs, ILoopTimer timer);

    /// <summary>Calls all timers now, before their due times.</summary>
    public abstract void HurryTimers();

    public abstract void Dispose();

    /// <summary>
    /// Runs the action on the scheduler's thread (<see cref="Post"/>). The task completes on another thread. If the action throws, the
    /// task fails with the exception.
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
                done.SetException(e); // nobody awaits the posted action: its exception would end the process
            }
        }, null);
        return done.Task;
    }
}

/// <summary>A scheduler on the thread of one event loop.</summary>
[SupportedOSPlatform("linux")]
internal sealed class LoopScheduler(int number) : Scheduler
{
    // From this many streams on a connection, the loop yields its thread before it sleeps, even for this connection alone.
    // With two or four calls in flight, this delayed the replies over TCP. With ten or more, it costs no time and saves CPU.
    private const int ManyStreams = 8;

    private readonly LatencyRecorder recorder = new();

    public EventLoop Loop { get; } = new($"engine {number}");

    public override void Add(IConnection connection)
    {
        base.Add(connection);
        Loop.AwaitsMany |= connection.Streams.Count >= ManyStreams;
    }

    public override LatencyRecorder Recorder => recorder;

    public override LoopCounts? Counts => Loop.Counts;

    public override IReadOnlyCollection<LatencyRecorder> Recorders => [recorder];

    public override void BeginWindow(WindowClock clock, LoadWindow window) => recorder.Begin(clock, window);

    public override void Post(Action<object?> action, object? state) => Loop.Post(action, state);

    public override void Schedule(long dueNs, ILoopTimer timer) => Loop.Schedule(dueNs, timer);

    public override void HurryTimers() => Loop.HurryTimers();

    public override void Dispose() => Loop.Dispose();
}

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
