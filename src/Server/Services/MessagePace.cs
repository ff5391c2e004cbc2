using System.Runtime.CompilerServices;
using System.Runtime.Versioning;
using System.Threading.Tasks.Sources;
using IpcBench.Transports.Loop;

namespace IpcBench.Server.Services;

/// <summary>
/// Waits until messages of one stream are due: to some µs where there is an event loop; elsewhere (Windows) to the steps of the system's
/// timers, and what they are late by is in the messages' latency.
/// </summary>
internal sealed class MessagePace : ILoopTimer, IValueTaskSource
{
    private const long NsPerMs = 1_000_000;

    // Made when the first stream is paced.
    private static readonly Lock Making = new();

    [SupportedOSPlatform("linux")]
    private static EventLoop Loop
    {
        get
        {
            lock (Making)
                return field ??= new EventLoop("pace");
        }
    }

    private ManualResetValueTaskSourceCore<bool> core = new() { RunContinuationsAsynchronously = true };
    private long dueNs;

    /// <exception cref="OperationCanceledException">Cancelled; on an event loop a second later at the most.</exception>
    public async ValueTask UntilAsync(long due, CancellationToken cancellation)
    {
        for (var early = due - MonotonicClock.NowNs; early > 0; early = due - MonotonicClock.NowNs)
        {
            cancellation.ThrowIfCancellationRequested();
            if (!OperatingSystem.IsLinux())
            {
                await Task.Delay((int)Math.Min(1 + early / NsPerMs, 1000), cancellation);
                continue;
            }
            core.Reset();
            dueNs = due - Math.Max(0, early - 1000 * NsPerMs);
            Loop.Post(Begin, this);
            await new ValueTask(this, core.Version);
        }
    }

    void ILoopTimer.OnDue() => core.SetResult(true);

    void IValueTaskSource.GetResult(short token) => core.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => core.GetStatus(token);

    void IValueTaskSource.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        core.OnCompleted(continuation, state, token, flags);

    [SupportedOSPlatform("linux")]
    private static void Begin(object? state)
    {
        var pace = (MessagePace)state!;
        Loop.Schedule(pace.dueNs, pace);
    }
}

/// <summary>
/// Awaited now and then by whoever writes without end: all other work that waits for a thread comes first. Writing on a stream that was
/// given up never waits, and the news of that is such work, too; a few hundred such loops had all threads for minutes.
/// </summary>
internal readonly struct FairTurn : INotifyCompletion
{
    public bool IsCompleted => false;

    public FairTurn GetAwaiter() => this;

    public void GetResult()
    {
    }

    // Task.Yield queues on the thread's own queue, which comes before what waits for all threads.
    public void OnCompleted(Action continuation) =>
        ThreadPool.UnsafeQueueUserWorkItem(static next => next(), continuation, preferLocal: false);
}
