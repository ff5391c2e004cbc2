using IpcBench.Client.Engine;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Tests.Engine;

/// <summary>Checks how connections are opened and spread over threads, with connections of no protocol.</summary>
public class LoadGeneratorTests
{
    private static CancellationToken None => CancellationToken.None;

    [Theory]
    [InlineData(1, 128)]
    [InlineData(2, 128)]
    [InlineData(200, 200)] // each thread opens at least one
    public async Task A_limited_number_of_connections_opens_at_the_same_time_and_connect_times_are_sorted(int threads, int atOnce)
    {
        var (begun, schedulers) = (new List<Opening>(), Schedulers(threads));
        for (var i = 0; i < 300; i++)
            schedulers[i % threads].Connections.Add(new Opening(begun));
        var start = MonotonicClock.NowNs;
        var opening = ConnectionRamp.OpenAsync(schedulers, Options(300), None);
        Assert.Equal(atOnce, begun.Count);
        // The first connections take longer than the later connections.
        var slow = MonotonicClock.NowNs + 2_000_000;
        SpinWait.SpinUntil(() => MonotonicClock.NowNs > slow);
        for (var i = 0; i < 300; i++)
            begun[i].Done.SetResult();
        var times = await opening.WaitAsync(TestLoad.Patience, None);
        Assert.Equal(300, times.Length);
        Assert.Equal(times.Order(), times);
        Assert.InRange(times[^1], 2_000_000, MonotonicClock.NowNs - start);
    }

    [Fact]
    public async Task No_more_connections_are_opened_after_a_failed_connection()
    {
        var (begun, schedulers) = (new List<Opening>(), Schedulers(1));
        for (var i = 0; i < 300; i++)
            schedulers[0].Connections.Add(new Opening(begun) { Fails = new IOException("no more") });
        Assert.Equal("cannot connect to unix:/x: no more", await FailureAsync(ConnectionRamp.OpenAsync(schedulers, Options(300), None)));
        Assert.Single(begun);
    }

    [Theory]
    [InlineData("first|second", "cannot connect to unix:/x: first")]
    [InlineData("cancelled|second", "cannot connect to unix:/x: second")]
    [InlineData("first|cancelled", "cannot connect to unix:/x: first")]
    [InlineData("opened|second", "only 1 of 2 connections to unix:/x could be opened within 60 s: second: "
        + "the server may have reached its limit of connections or open files (ulimit -n where the server was started)")]
    [InlineData("cancelled|cancelled", "only 0 of 2 connections to unix:/x could be opened within 60 s: the server does not answer")]
    [InlineData("refused|second", "cannot connect to unix:/x: refused")]
    [InlineData("Broken pipe.|second", "cannot connect to unix:/x: Broken pipe")]
    public async Task The_first_failure_with_a_reason_is_reported(string ends, string message)
    {
        var (begun, schedulers) = (new List<Opening>(), Schedulers(1));
        schedulers[0].Connections.AddRange([new Opening(begun), new Opening(begun)]);
        var opening = ConnectionRamp.OpenAsync(schedulers, Options(2), None);
        foreach (var (connection, end) in begun.Zip(ends.Split('|')))
        {
            if (end == "opened")
                connection.Done.SetResult();
            else
                connection.Done.SetException(end switch
                {
                    "cancelled" => new OperationCanceledException(),
                    "refused" => new CannotConnectException(new Address.Unix("/x"), end), // has the whole message already
                    _ => new IOException(end),
                });
        }
        Assert.Equal(message, await FailureAsync(opening));
    }

    [Fact]
    public async Task A_cancelled_opening_gives_no_reason()
    {
        var (begun, schedulers) = (new List<Opening>(), Schedulers(1));
        schedulers[0].Connections.Add(new Opening(begun));
        using var cancel = new CancellationTokenSource();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => ConnectionRamp.OpenAsync(schedulers, Options(1), cancel.Token));
        Assert.Empty(begun);
    }

    [Theory]
    [InlineData(true, 5, 2, "3 2")]
    [InlineData(true, 3, 8, "1 1 1")]
    [InlineData(true, 4, 1, "4")]
    [InlineData(false, 5, 2, "5")] // the framework chooses its threads
    public async Task Each_thread_gets_a_block_of_consecutive_connections(bool usesLoops, int connections, int threads, string blocks)
    {
        List<Scheduler> of = [];
        List<Opening> begun = [];
        var source = new ConnectionSource(
            scheduler =>
            {
                of.Add(scheduler);
                return new Opening(begun, isOpen: true);
            },
            usesLoops, () => 0);
        var generator = await LoadGenerator.OpenAsync(Options(connections) with { Threads = threads }, source, None);
        Assert.Equal(connections, begun.Count);
        Assert.Equal(blocks, string.Join(' ', of.GroupBy(scheduler => scheduler).Select(group => group.Count())));
        Assert.Equal(of, of.Distinct().SelectMany(scheduler => of.Where(one => one == scheduler)));
        Assert.Equal(connections, of.Distinct().Sum(scheduler => scheduler.Connections.Count));
        await generator.DisposeAsync().AsTask().WaitAsync(TestLoad.Patience, None);
        Assert.All(begun, connection => Assert.Equal(1, connection.Disposed));
    }

    [Fact]
    public async Task A_connection_that_cannot_be_opened_closes_all_connections()
    {
        List<Opening> begun = [];
        var source = new ConnectionSource(_ => new Opening(begun) { Fails = new IOException("no") }, UsesLoops: false, () => 0);
        await FailureAsync(LoadGenerator.OpenAsync(Options(1), source, None));
        Assert.Equal(1, Assert.Single(begun).Disposed);
    }

    [Fact]
    public async Task A_window_without_an_end_is_rejected_and_so_is_load_before_a_window_of_counted_calls()
    {
        List<Opening> begun = [];
        await using var generator = await LoadGenerator.OpenAsync(
            Options(1), new ConnectionSource(_ => new Opening(begun, isOpen: true), UsesLoops: false, () => 0), None);
        foreach (var (window, message) in ((LoadWindow, string)[])
        [
            (new LoadWindow(), "a window ends after a time or a number of calls"),
            (new LoadWindow { Calls = 5, Lead = TimeSpan.FromTicks(1) }, "a window of counted calls has no load before it"),
        ])
        {
            var wrong = await Assert.ThrowsAsync<ArgumentException>(() => generator.RunAsync(window, None));
            Assert.StartsWith(message, wrong.Message, StringComparison.Ordinal);
        }
        var result = await TestLoad.RunAsync(generator, new LoadWindow { Calls = 5 }, None);
        Assert.Equal((true, 5), (result.HasBegun, result.Ok));
        Assert.Null(result.LeadMedianNs);
        Assert.Equal(5, generator.CallsSoFar);
    }

    [Fact]
    public async Task System_calls_of_all_threads_are_counted()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the event loop stands on epoll");
        await using var server = new FakeServer();
        await using var generator = await TestLoad.OpenAsync(TestLoad.Options(server.Address, connections: 4, threads: 2));
        var before = generator.SystemCalls!.Value;
        await TestLoad.RunAsync(generator, new LoadWindow { Calls = 100 });
        // Each connection has one call in flight, so no call shares a send or a receive with another call.
        await TestLoad.UntilAsync(() => generator.SystemCalls!.Value - before is { Sends: >= 100, Receives: >= 100 });
    }

    /// <summary>Makes schedulers that run continuations on the thread of the test, inside the code that ends an opening.</summary>
    private static SyncScheduler[] Schedulers(int count)
    {
        SynchronizationContext.SetSynchronizationContext(null);
        return [.. Enumerable.Range(0, count).Select(_ => new SyncScheduler())];
    }

    private static async Task<string> FailureAsync(Task opening) =>
        (await Assert.ThrowsAsync<IOException>(() => opening.WaitAsync(TestLoad.Patience, None))).Message;

    private static EngineOptions Options(int connections) => new()
    {
        Address = new Address.Unix("/x"),
        Size = 1,
        Connections = connections,
        Threads = 1,
        ConnectDeadline = TimeSpan.FromSeconds(60),
    };

    /// <summary>A connection that opens when the test says so, and answers each call at once.</summary>
    private sealed class Opening : FakeConnection, IStream
    {
        private readonly List<Opening> begun;
        private volatile bool accepting;

        public Opening(List<Opening> begun, bool isOpen = false)
        {
            this.begun = begun;
            if (isOpen)
                Done.SetResult();
        }

        public TaskCompletionSource Done { get; } = new();

        public Exception? Fails { get; init; }

        public int Disposed { get; private set; }

        public override IReadOnlyList<IStream> Streams => [this];

        public override Task OpenAsync(CancellationToken cancellation)
        {
            lock (begun)
                begun.Add(this);
            return Fails is null ? Done.Task : Task.FromException(Fails);
        }

        public override void SetAccepting(bool accepting) => this.accepting = accepting;

        public ValueTask<bool> ReadyAsync() => new(accepting);

        public async ValueTask<CallResult> CallAsync(long sentNs)
        {
            await Task.Yield();
            return CallResult.Ok(10);
        }

        public override ValueTask DisposeAsync()
        {
            Disposed++;
            return ValueTask.CompletedTask;
        }
    }
}
