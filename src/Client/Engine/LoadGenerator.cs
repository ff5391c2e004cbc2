namespace IpcBench.Client.Engine;

/// <summary>The connections of one cell spread over threads; runs windows of load over them.</summary>
internal sealed class LoadGenerator : IAsyncDisposable
{
    private static readonly TimeSpan AbandonedPatience = TimeSpan.FromSeconds(2);

    private readonly EngineOptions options;
    private readonly ConnectionSource source;
    private readonly List<Scheduler> schedulers = [];
    private readonly List<IConnection> connections = [];
    private long[] connectTimes = [];
    private bool isAbandoned;

    private LoadGenerator(EngineOptions options, ConnectionSource source) => (this.options, this.source) = (options, source);

    /// <summary>Calls that ended well so far, over all windows; cheap, may be polled from any thread, after its end too.</summary>
    public long CallsSoFar => schedulers.Sum(scheduler => scheduler.Recorders.Sum(recorder => recorder.AllOk));

    /// <summary>Opens all connections, ramped.</summary>
    /// <exception cref="IOException">
    /// They could not all be opened before the deadline; the message says how many, and why the last one not.
    /// </exception>
    public static async Task<LoadGenerator> OpenAsync(EngineOptions options, ConnectionSource source, CancellationToken cancellation)
    {
        var generator = new LoadGenerator(options, source);
        try
        {
            generator.Make();
            generator.connectTimes = await ConnectionRamp.OpenAsync(generator.schedulers, options, cancellation);
            return generator;
        }
        catch
        {
            await generator.DisposeAsync();
            throw;
        }
    }

    /// <summary>Runs one window and drains it. Cancellation ends the window early: what was measured until then is returned.</summary>
    public async Task<LoadResult> RunAsync(LoadWindow window, CancellationToken cancellation)
    {
        if (window is { Duration: null, Calls: null })
            throw new ArgumentException("a window ends after a time or a number of calls", nameof(window));
        var opened = connections.Count(connection => connection.IsOpen);
        var streams = connections.Min(connection => connection.StreamsAllowed);
        var reopenedBefore = connections.Sum(connection => connection.Reopened);
        source.Connects?.Begin();
        var bytesBefore = connections.Sum(connection => connection.BytesReceived);
        var run = new WindowRun(window, schedulers);
        run.Start();
        var watch = new WindowWatch(run, options, schedulers);
        await watch.WatchAsync(cancellation);
        isAbandoned |= watch.IsAbandoned;
        if (!isAbandoned)
            await run.Drained;
        var reopened = connections.Sum(connection => connection.Reopened) - reopenedBefore;
        var stats = ConnectionCounts.Of([.. run.CallsByConnection], opened, reopened, source.Retries(), connectTimes) with
        {
            StreamsAllowed = streams,
        };
        if (source.Connects is { } connects)
            stats = stats with { OpenedInAll = connects.Count, ConnectTimesNs = connects.Percentiles() };
        return WindowTotals.Of(run, schedulers, options, stats, watch.Lost) with
        {
            ReceivedBytes = connections.TrueForAll(connection => connection.BytesReceived is not null)
                ? connections.Sum(connection => connection.BytesReceived) - bytesBefore
                : null,
        };
    }

    public async ValueTask DisposeAsync()
    {
        // What does not end calls may not end connections either.
        var closing = Task.Run(CloseAsync);
        await (isAbandoned ? Task.WhenAny(closing, Task.Delay(AbandonedPatience)) : closing);
    }

    private void Make()
    {
        var count = source.UsesLoops ? Math.Min(options.Threads, options.Connections) : 1;
        for (var i = 0; i < count; i++)
            schedulers.Add(source.UsesLoops && OperatingSystem.IsLinux() ? new LoopScheduler(i) : new PoolScheduler());
        for (var i = 0; i < options.Connections; i++)
        {
            // By blocks, so that the order of connections is the order of workers.
            var scheduler = schedulers[(int)((long)i * count / options.Connections)];
            connections.Add(source.Make(scheduler));
            scheduler.Connections.Add(connections[^1]);
        }
    }

    private async Task CloseAsync()
    {
        foreach (var connection in connections)
            await connection.DisposeAsync();
        foreach (var scheduler in schedulers)
            scheduler.Dispose();
    }
}
