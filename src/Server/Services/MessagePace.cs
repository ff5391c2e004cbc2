using System.Runtime.Versioning;
using System.Threading.Tasks.Sources;
using IpcBench.Transports.Loop;

namespace IpcBench.Server.Services;

/// <summary>
/// Waits until a message of a stream is due. On Linux, which has the event loop, the wait is exact to some µs. On
/// Windows the wait can be too long by a step of the system's timer. This delay is part of the message's latency.
/// </summary>
internal sealed class MessagePace : ILoopTimer, IValueTaskSource
{
    private const long NsPerMs = 1_000_000;

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

    /// <exception cref="OperationCanceledException">
    /// The wait was cancelled. On Linux the wait ends up to a second after the cancellation.
    /// </exception>
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
