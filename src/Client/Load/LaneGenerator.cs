using System.Globalization;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Load;

/// <summary>The engine: connections spread over lanes, windows of workers over them.</summary>
internal sealed class LaneGenerator : LoadGenerator
{
    private const long LostAfterNs = 2_000_000_000;
    private static readonly TimeSpan CancelledDrain = TimeSpan.FromMilliseconds(500);

    private readonly LoadOptions options;
    private readonly IConnectionFactory factory;
    private readonly List<Lane> lanes = [];
    private readonly List<(Lane Lane, ICallConnection Connection)> connections = [];
    private long[] connectTimes = [];
    private int reopenedBefore;
    private long downSince;

    private LaneGenerator(LoadOptions options, IConnectionFactory factory) => (this.options, this.factory) = (options, factory);

    public override long CallsSoFar => lanes.Sum(lane => lane.Recorders.Sum(recorder => recorder.AllOk));

    public static async Task<LoadGenerator> OpenAsync(LoadOptions options, IConnectionFactory factory, CancellationToken cancellation)
    {
        var generator = new LaneGenerator(options, factory);
        try
        {
            generator.Lay();
            generator.connectTimes = await ConnectionRamp.OpenAsync(generator.lanes, options, cancellation);
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
        downSince = 0;
        factory.Connects?.Begin();
        var bytesBefore = connections.Sum(item => item.Connection.BytesReceived);
        var run = new WindowRun(window, lanes);
        for (var i = 0; i < lanes.Count; i++)
            Start(run, i);
        var lost = await WatchAsync(run, cancellation);
        await run.Drained;
        var calls = run.CallsByConnection.ToList();
        var truth = ConnectionCounts.Of(calls, opened, connections.Sum(item => item.Connection.Reopened) - reopenedBefore, factory.ConnectRetries, connectTimes) with { StreamsAllowed = streams };
        if (factory.Connects is { } connects)
            truth = truth with { OpenedInAll = connects.Count, ConnectTimesNs = connects.Percentiles() };
        var bytes = connections.TrueForAll(item => item.Connection.BytesReceived is not null) ? connections.Sum(item => item.Connection.BytesReceived) - bytesBefore : null;
        return WindowTotals.Of(run, lanes, options, truth, lost) with { ReceivedBytes = bytes };
    }

    public override async ValueTask DisposeAsync()
    {
        foreach (var (_, connection) in connections)
            await connection.DisposeAsync();
        foreach (var lane in lanes)
            lane.Dispose();
    }

    private void Lay()
    {
        var count = factory.UsesLoops ? Math.Min(options.Threads, options.Connections) : 1;
        for (var i = 0; i < count; i++)
            lanes.Add(factory.UsesLoops && OperatingSystem.IsLinux() ? new LoopLane(i) : new PoolLane());
        for (var i = 0; i < options.Connections; i++)
        {
            // By blocks, so that the order of connections is the order of workers.
            var lane = lanes[(int)((long)i * count / options.Connections)];
            var connection = factory.Create(lane);
            lane.Connections.Add(connection);
            connections.Add((lane, connection));
        }
    }

    private void Start(WindowRun run, int laneIndex)
    {
        var lane = lanes[laneIndex];
        var first = lanes.Take(laneIndex).Sum(earlier => earlier.Connections.Count);
        lane.Post(_ =>
        {
            for (var i = 0; i < lane.Connections.Count; i++)
                run.Start(lane.Connections[i], first + i);
        }, null);
    }

    /// <summary>Ends the window when its time has come, the server is gone or the caller has had enough; cuts off what takes too long.</summary>
    private async Task<string?> WatchAsync(WindowRun run, CancellationToken cancellation)
    {
        var tick = TimeSpan.FromMilliseconds(Math.Clamp(options.Timeout.TotalMilliseconds / 10, 5, 100));
        var drainLimit = options.Timeout;
        var accepting = true;
        var orders = new List<Task>();
        string? lost = null;
        while (!run.Drained.IsCompleted)
        {
            await Task.WhenAny(run.Drained, Task.Delay(tick, CancellationToken.None));
            var now = MonotonicClock.NowNs;
            if (cancellation.IsCancellationRequested && drainLimit > CancelledDrain)
            {
                drainLimit = CancelledDrain;
                run.Clock.EndAt(now);
            }
            if (lost is null && IsServerLost(now))
            {
                lost = string.Create(CultureInfo.InvariantCulture, $"the server at {options.Address} is gone: no connection could be opened again for {LostAfterNs / 1e9:0} s");
                run.Clock.EndAt(now);
            }
            var over = now >= run.Clock.EndNs;
            if (over && accepting)
                orders.Add(EndWindowAsync());
            accepting = !over;
            var drained = over && now - run.Clock.EndNs >= drainLimit.TotalSeconds * 1e9;
            orders.Add(CutOffAsync(drained ? long.MaxValue : now - (long)(options.Timeout.TotalSeconds * 1e9)));
            orders.RemoveAll(order => order.IsCompletedSuccessfully);
        }
        // The framework's threads may be late and take turns: an order of this window must not meet the calls of the next.
        await Task.WhenAll(orders);
        return lost;
    }

    private bool IsServerLost(long now)
    {
        if (connections.Exists(item => item.Connection.IsOpen))
            downSince = 0;
        else if (downSince == 0)
            downSince = now;
        return downSince != 0 && now - downSince >= LostAfterNs;
    }

    private Task EndWindowAsync() => OnLanesAsync(static lane =>
    {
        foreach (var connection in lane.Connections)
            connection.SetAccepting(false);
        lane.HurryTimers();
    });

    private Task CutOffAsync(long sentBefore) => OnLanesAsync(lane =>
    {
        foreach (var connection in lane.Connections)
            connection.CutOff(sentBefore);
    });

    private Task OnLanesAsync(Action<Lane> order) => Task.WhenAll(lanes.Select(lane =>
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        lane.Post(_ =>
        {
            try
            {
                order(lane);
                done.SetResult();
            }
            catch (Exception e)
            {
                done.SetException(e); // nobody waits where it runs: what it threw would end the process
            }
        }, null);
        return done.Task;
    }));
}
