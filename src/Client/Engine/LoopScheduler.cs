using System.Runtime.Versioning;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Engine;

/// <summary>A scheduler on the thread of one event loop.</summary>
[SupportedOSPlatform("linux")]
internal sealed class LoopScheduler(int number) : Scheduler
{
    // If a connection has at least this many streams, the loop yields its CPU before it waits for events, even with only
    // one connection. With two or four calls in flight, a yield delayed replies over TCP. With ten or more calls, a yield
    // only saves CPU time.
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
