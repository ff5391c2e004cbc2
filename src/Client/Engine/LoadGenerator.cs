using IpcBench.Transports.Loop;

namespace IpcBench.Client.Engine;

/// <summary>Holds the connections of one cell, spread over threads, and runs windows of load over these connections.</summary>
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

    /// <summary>All successful calls so far, inside and outside of windows. Any thread may read this, even after disposal.</summary>
    public long CallsSoFar => schedulers.Sum(scheduler => scheduler.Recorders.Sum(recorder => recorder.AllOk));

    /// <summary>The number of system calls for all connections. Null where .NET makes these calls. May be read from any thread.</summary>
    public LoopCounts? SystemCalls => schedulers.Aggregate((LoopCounts?)default(LoopCounts), (sum, one) => sum + one.Counts);

    /// <summary>Opens all connections of a cell.</summary>
    /// <exception cref="IOException">
    /// Not all connections could be opened before the deadline. The message gives the first error and, if some connections
    /// were opened, their number.
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
    /// Runs one window with load before and after it, and waits until the calls have ended. Cancellation ends the window early, and
    /// the result then has the measurements until that time.
    /// </summary>
    public async Task<LoadResult> RunAsync(LoadWindow window, CancellationToken cancellation, IWindowEdges? edges = null)
    {
        if (window is { Duration: null, Calls: null })
            throw new ArgumentException("a window ends after a time or a number of calls", nameof(window));
        if (window.Calls is not null && window.Lead > TimeSpan.Zero)
            throw new ArgumentException("a window of counted calls has no load before it", nameof(window));
        // If the server answers no call before the window, all streams stay busy, and no call could begin in the
        // window. The measurement is then repeated without load before the window.
        return await RunOnceAsync(window, edges, cancellation)
            ?? (await RunOnceAsync(window with { Lead = TimeSpan.Zero }, edges, cancellation))!;
    }

    public async ValueTask DisposeAsync()
    {
        // Connections whose calls did not end may fail to close too, so the time for closing is limited.
        var closing = Task.Run(CloseAsync);
        await (isAbandoned ? Task.WhenAny(closing, Task.Delay(AbandonedPatience)) : closing);
    }

    /// <returns>Null when no call was answered before the window was due to begin.</returns>
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
        return supervisor.IsUnanswered ? null : WindowTotals.Compute(run, schedulers, options, readings, supervisor.Lost);
    }

    private void Make()
    {
        var count = source.UsesLoops ? Math.Min(options.Threads, options.Connections) : 1;
        for (var i = 0; i < count; i++)
            schedulers.Add(source.UsesLoops && OperatingSystem.IsLinux() ? new LoopScheduler(i) : new PoolScheduler());
        for (var i = 0; i < options.Connections; i++)
        {
            // Each thread gets consecutive connections. Workers are made thread by thread, so workers and connections have
            // the same order.
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
