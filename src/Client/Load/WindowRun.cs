using IpcBench.Transports.Loop;

namespace IpcBench.Client.Load;

/// <summary>One window under way: its workers, its edges, and when they have all come to rest.</summary>
internal sealed class WindowRun
{
    private readonly TaskCompletionSource drained = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Worker[][] workers;
    private int running;

    public WindowRun(LoadWindow window, IReadOnlyList<Lane> lanes)
    {
        Window = window;
        var start = MonotonicClock.NowNs;
        Clock = new WindowClock(start, window.Duration is { } duration ? start + (long)(duration.TotalSeconds * 1e9) : long.MaxValue);
        IPacer pacer = window switch
        {
            { Rate: { } rate, Poisson: true } => new PoissonPacer(start, rate, window.Seed),
            { Rate: { } rate } => new ConstantPacer(start, rate),
            _ => new ClosedPacer(),
        };
        IStopRule stop = window.Calls is { } calls ? new CountStop(calls, Clock) : new DurationStop(Clock);
        workers = [.. lanes.SelectMany(lane => lane.Connections.Select(
            connection => connection.Callers.Select(caller => new Worker(caller, pacer, stop, lane)).ToArray()))];
        running = workers.Sum(streams => streams.Length);
        foreach (var lane in lanes)
            lane.BeginWindow(Clock, pacer.IsOpenLoop);
    }

    public LoadWindow Window { get; }

    public WindowClock Clock { get; }

    /// <summary>Completes when no call is out any more.</summary>
    public Task Drained => drained.Task;

    /// <summary>Calls of each connection that ended well.</summary>
    public IEnumerable<long> CallsByConnection => workers.Select(streams => streams.Sum(worker => worker.Calls));

    /// <summary>Starts the workers of one connection; where its lane's completions run.</summary>
    public void Start(ICallConnection connection, int index)
    {
        connection.Enter();
        connection.SetAccepting(true);
        foreach (var worker in workers[index])
            _ = RunAsync(worker);
        connection.Leave();
    }

    private async Task RunAsync(Worker worker)
    {
        try
        {
            await worker.RunAsync();
        }
        catch (Exception e)
        {
            drained.TrySetException(e); // a fault of ours, never of a server: it must not look like a slow one
        }
        if (Interlocked.Decrement(ref running) == 0)
            drained.TrySetResult();
    }
}
