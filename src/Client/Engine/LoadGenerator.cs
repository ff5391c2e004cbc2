using IpcBench.Transports.Loop;

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

    /// <summary>System calls on all connections so far, from any thread; null where the framework makes them.</summary>
    public LoopCounts? SystemCalls => schedulers.Aggregate((LoopCounts?)default(LoopCounts), (sum, one) => sum + one.Counts);

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

    /// <summary>
    /// Runs one window, with the load before and after it, and drains it. Cancellation ends it early: what was measured until then is
    /// returned.
    /// </summary>
    /// <param name="window">How long, and when calls start.</param>
    /// <param name="cancellation">Ends it early.</param>
    /// <param name="edges">Is told when the window begins and ends.</param>
    public async Task<LoadResult> RunAsync(LoadWindow window, CancellationToken cancellation, IWindowEdges? edges = null)
    {
        if (window is { Duration: null, Calls: null })
            throw new ArgumentException("a window ends after a time or a number of calls", nameof(window));
        if (window.Calls is not null && window.Lead > TimeSpan.Zero)
            throw new ArgumentException("counted calls are all of the load", nameof(window));
        // Calls that the server never answers stay in flight, so that no call would begin in the window: when no call of the lead is
        // answered, the window is measured again and begins with the load.
        return await RunOnceAsync(window, edges, cancellation)
            ?? (await RunOnceAsync(window with { Lead = TimeSpan.Zero }, edges, cancellation))!;
    }

    public async ValueTask DisposeAsync()
    {
        // Connections whose calls did not end may not close either: they get a limited time.
        var closing = Task.Run(CloseAsync);
        await (isAbandoned ? Task.WhenAny(closing, Task.Delay(AbandonedPatience)) : closing);
    }

    /// <returns>Null when nothing was answered before the window would have begun.</returns>
    private async Task<LoadResult?> RunOnceAsync(LoadWindow window, IWindowEdges? edges, CancellationToken cancellation)
    {
        var readings = new WindowReadings(connections, source, connectTimes, edges) { OkBefore = CallsSoFar };
        if (window.Lead <= TimeSpan.Zero)
            readings.OnBegin();
        var run = new WindowRun(window with { Flow = options.Flow }, schedulers);
        var supervisor = new WindowSupervisor(run, options, schedulers, readings);
        run.Start();
        await supervisor.WatchAsync(cancellation);
        isAbandoned |= supervisor.IsAbandoned;
        if (!isAbandoned)
            await run.Drained;
        return supervisor.IsUnanswered ? null : WindowTotals.Of(run, schedulers, options, readings, supervisor.Lost);
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
            scheduler.Add(connections[^1]);
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
