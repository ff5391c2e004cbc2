using System.Runtime.Versioning;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Engine;

/// <summary>A scheduler that is one event loop's thread.</summary>
[SupportedOSPlatform("linux")]
internal sealed class LoopScheduler(int number) : Scheduler
{
    private readonly LatencyRecorder recorder = new();

    public EventLoop Loop { get; } = new($"engine {number}");

    public override LatencyRecorder Recorder => recorder;

    public override IReadOnlyCollection<LatencyRecorder> Recorders => [recorder];

    public override void BeginWindow(WindowClock clock, bool isOpenLoop) => recorder.Begin(clock, isOpenLoop);

    public override void Post(Action<object?> action, object? state) => Loop.Post(action, state);

    public override void Schedule(long dueNs, ILoopTimer timer) => Loop.Schedule(dueNs, timer);

    public override void HurryTimers() => Loop.HurryTimers();

    public override void Dispose() => Loop.Dispose();
}
