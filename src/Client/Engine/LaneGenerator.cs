namespace IpcBench.Client.Engine;

/// <summary>The engine: connections spread over schedulers, windows of workers over them.</summary>
internal sealed class LaneGenerator : LoadGenerator
{
    private static readonly TimeSpan AbandonedPatience = TimeSpan.FromSeconds(2);

    private readonly LoadOptions options;
    private readonly IConnectionFactory factory;
    private readonly List<Scheduler> schedulers = [];
    private readonly List<(Scheduler Scheduler, IConnection Connection)> connections = [];
    private long[] connectTimes = [];
    private int reopenedBefore;
    private bool isAbandoned;

    private LaneGenerator(LoadOptions options, IConnectionFactory factory) => (this.options, this.factory) = (options, factory);

    public override long CallsSoFar => schedulers.Sum(scheduler => scheduler.Recorders.Sum(recorder => recorder.AllOk));

    public static async Task<LoadGenerator> OpenAsync(LoadOptions options, IConnectionFactory factory, CancellationToken cancellation)
    {
        var generator = new LaneGenerator(options, factory);
        try
        {
            generator.Lay();
            generator.connectTimes = await ConnectionRamp.OpenAsync(generator.schedulers, options, cancellation);
            return generator;
        }
        catch
        {
            await generator.DisposeAsync();
            throw;
        }
    }

    public override async Task<LoadResult> RunAsync(LoadWindow window, CancellationToken cancellation)
    {
        if (window is { Duration: null, Calls: null })
            throw new ArgumentException("a window ends after a time or a number of calls", nameof(window));
        var opened = connections.Count(item => item.Connection.IsOpen);
        var streams = connections.Min(item => item.Connection.StreamsAllowed);
        reopenedBefore = connections.Sum(item => item.Connection.Reopened);
        factory.Connects?.Begin();
        var bytesBefore = connections.Sum(item => item.Connection.BytesReceived);
        var run = new WindowRun(window, schedulers);
        for (var i = 0; i < schedulers.Count; i++)
            Start(run, i);
        var watch = new WindowWatch(run, options, schedulers);
        await watch.WatchAsync(cancellation);
        isAbandoned |= watch.IsAbandoned;
        if (!isAbandoned)
            await run.Drained;
        var calls = run.CallsByConnection.ToList();
        var truth = ConnectionCounts.Of(calls, opened, connections.Sum(item => item.Connection.Reopened) - reopenedBefore, factory.ConnectRetries, connectTimes) with { StreamsAllowed = streams };
        if (factory.Connects is { } connects)
            truth = truth with { OpenedInAll = connects.Count, ConnectTimesNs = connects.Percentiles() };
        var bytes = connections.TrueForAll(item => item.Connection.BytesReceived is not null) ? connections.Sum(item => item.Connection.BytesReceived) - bytesBefore : null;
        return WindowTotals.Of(run, schedulers, options, truth, watch.Lost) with { ReceivedBytes = bytes };
    }

    public override async ValueTask DisposeAsync()
    {
        // What does not end calls may not end connections either.
        var closing = Task.Run(CloseAsync);
        await (isAbandoned ? Task.WhenAny(closing, Task.Delay(AbandonedPatience)) : closing);
    }

    private async Task CloseAsync()
    {
        foreach (var (_, connection) in connections)
            await connection.DisposeAsync();
        foreach (var scheduler in schedulers)
            scheduler.Dispose();
    }

    private void Lay()
    {
        var count = factory.UsesLoops ? Math.Min(options.Threads, options.Connections) : 1;
        for (var i = 0; i < count; i++)
            schedulers.Add(factory.UsesLoops && OperatingSystem.IsLinux() ? new LoopScheduler(i) : new PoolScheduler());
        for (var i = 0; i < options.Connections; i++)
        {
            // By blocks, so that the order of connections is the order of workers.
            var scheduler = schedulers[(int)((long)i * count / options.Connections)];
            var connection = factory.Create(scheduler);
            scheduler.Connections.Add(connection);
            connections.Add((scheduler, connection));
        }
    }

    private void Start(WindowRun run, int index)
    {
        var scheduler = schedulers[index];
        var first = schedulers.Take(index).Sum(earlier => earlier.Connections.Count);
        scheduler.Post(_ =>
        {
            for (var i = 0; i < scheduler.Connections.Count; i++)
                run.Start(scheduler.Connections[i], first + i);
        }, null);
    }
}
