using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http1.Support;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Tests.Http1;

public class PerCallTests
{
    [Theory]
    [InlineData("tcp")]
    [InlineData("unix")]
    public async Task Each_call_opens_a_connection_that_the_server_closes(string kind)
    {
        var heads = new List<string>();
        await using var server = new FakeHttpServer(kind);
        server.Answer = async (socket, head, _) =>
        {
            lock (heads)
                heads.Add(head);
            return !await FakeHttpServer.SayAsync(socket, FakeHttpServer.Reply(10, "Connection: close\r\n"));
        };
        var result = await TestLoad.MeasureAsync(PerCall(HttpCallTests.Options(server.Address)), new LoadWindow { Calls = 60 });
        Assert.Equal((60, 60, 60L), (result.Started, result.Ok, result.Connections.OpenedInAll));
        Assert.All(heads, head => Assert.EndsWith("Connection: close", head, StringComparison.Ordinal));
        Assert.Equal(4 + 60, server.Accepted); // the first 4 connections check that there is a server
        Assert.Equal(4, result.Connections.ConnectTimesNs.Count);
    }

    [Fact]
    public async Task A_call_does_not_wait_for_the_server_to_close()
    {
        await using var server = new FakeHttpServer();
        var result = await TestLoad.MeasureAsync(
            PerCall(HttpCallTests.Options(server.Address, connections: 8)), new LoadWindow { Calls = 24 });
        Assert.Equal((24, 24, 24L), (result.Started, result.Ok, result.Connections.OpenedInAll));
    }

    [Theory]
    [InlineData("tcp")]
    [InlineData("unix")]
    [InlineData("pipe")]
    public async Task Each_gRPC_call_opens_a_connection(string kind)
    {
        await using var server = new FakeServer(kind) { Answer = (stream, _) => [.. Frames.Settings(), .. Frames.Reply(stream, 10)] };
        var result = await TestLoad.MeasureAsync(PerCall(TestLoad.Options(server.Address)), new LoadWindow { Calls = 40 });
        Assert.Equal((40, 40, 40L), (result.Started, result.Ok, result.Connections.OpenedInAll));
        Assert.Equal(40, server.Calls);
    }

    [Fact]
    public async Task The_latency_includes_connect_and_call()
    {
        await using var server = new FakeHttpServer();
        server.Answer = async (socket, _, _) =>
        {
            await Task.Delay(30);
            return !await FakeHttpServer.SayAsync(socket, FakeHttpServer.Reply(10, "Connection: close\r\n"));
        };
        var result = await TestLoad.MeasureAsync(PerCall(HttpCallTests.Options(server.Address)), new LoadWindow { Calls = 20 });
        Assert.True(result.Latency.Sum >= 20 * 29_000_000L + 20 * result.Connections.ConnectTimesNs[0] / 2);
    }

    [Fact]
    public Task A_call_without_a_reply_is_cut_off_and_the_next_call_reconnects() => TestLoad.InTheEndAsync(async () =>
    {
        await using var server = new FakeHttpServer();
        server.Answer = async (socket, _, number) =>
            number % 4 == 0 || !await FakeHttpServer.SayAsync(socket, FakeHttpServer.Reply(10, "Connection: close\r\n"));
        var options = PerCall(HttpCallTests.Options(server.Address)) with { Timeout = TimeSpan.FromMilliseconds(200) };
        var result = await TestLoad.MeasureAsync(options, new LoadWindow { Calls = 12 });
        Assert.Equal((9, 3), (result.Ok, result.CutOff));
    });

    [Theory]
    [InlineData(true, "no local port")]
    [InlineData(false, "connect")]
    public async Task A_failed_connect_has_no_connect_time_and_delays_the_next_call(bool ports, string kind)
    {
        var scheduler = new SyncScheduler();
        var failure = () => ports ? (Exception)new NoLocalPortException(new Address.Tcp("h", 1)) : new IOException("refused");
        var source = PerCallConnection.Each(new ConnectionSource(_ => new FailingConnection(failure), UsesLoops: false, () => 0));
        var connection = source.Make(scheduler);
        connection.SetAccepting(true);
        for (var i = 0; i < 3; i++)
        {
            var ready = connection.Streams[0].ReadyAsync();
            Assert.Equal(i == 0, ready.IsCompleted); // after a failure the stream waits
            scheduler.HurryTimers();
            Assert.True(await ready.AsTask().WaitAsync(TimeSpan.FromSeconds(5)));
            var result = await connection.Streams[0].CallAsync(0).AsTask().WaitAsync(TimeSpan.FromSeconds(5));
            Assert.Equal(kind, result.Kind);
        }
        Assert.Equal(0, source.Connects!.Count);
    }

    [Theory]
    [InlineData("tcp")]
    [InlineData("unix")]
    public async Task Each_call_fails_on_an_HTTP_server_that_closes_each_connection_immediately(string kind)
    {
        await using var server = new FakeHttpServer(kind) { Closes = _ => true };
        var result = await TestLoad.MeasureAsync(
            PerCall(HttpCallTests.Options(server.Address, connections: 20)), new LoadWindow { Calls = 50 });
        Assert.Equal((50, 50L), (result.Started, result.Failed["connection lost"]));
    }

    [Theory]
    [InlineData("tcp", "")]
    [InlineData("unix", "settings")]
    [InlineData("pipe", "settings")]
    [InlineData("unix", "settings and goaway")]
    [InlineData("pipe", "settings and goaway")]
    public Task Each_call_fails_on_a_gRPC_server_that_closes_each_connection_immediately(string kind, string says) =>
        TestLoad.InTheEndAsync(async () =>
    {
        byte[] greeting =
        [
            .. says.Length == 0 ? [] : Frames.Settings(), .. says.EndsWith("goaway", StringComparison.Ordinal) ? Frames.GoAway(0) : [],
        ];
        var broken = false;
        await using var server = new FakeServer(kind);
        server.Closes = _ => broken;
        await using var generator = await TestLoad.OpenAsync(PerCall(TestLoad.Options(server.Address)));
        (broken, server.Greeting) = (true, greeting);
        var result = await TestLoad.RunAsync(generator, new LoadWindow { Calls = 20 });
        // If the machine stalls for 2 s, the load ends earlier, because no connection could be opened for 2 s.
        Assert.Equal((20, 20L), (result.Started, result.Failed.Values.Sum()));
        Assert.All(result.Failed.Keys, failure => Assert.Contains(
            failure, says.Length == 0 ? ["connect"] : (string[])["connect", "connection lost"]));
    });

    [Theory]
    [InlineData("unix")]
    [InlineData("pipe")]
    public async Task Calls_that_can_never_begin_are_cut_off_at_the_timeout(string kind)
    {
        await using var server = new FakeServer(kind) { Greeting = Frames.Settings((3, 0)) };
        var result = await TestLoad.MeasureAsync(PerCall(TestLoad.Options(server.Address, timeout: 0.2)), new LoadWindow { Calls = 12 });
        Assert.Equal((12, 12), (result.Started, result.CutOff));
    }

    private static LoadOptions PerCall(LoadOptions options) => options with { ConnectPerCall = true };

    /// <summary>All loop threads open connections for single calls at the same time, and each thread asks for its own pool.</summary>
    [Fact]
    public async Task Each_thread_that_makes_connections_has_its_own_pool()
    {
        const int threads = 4, schedulers = 50_000; // so many that threads ask at the same time
        var dialer = new NoDialer();
        using var start = new Barrier(threads);
        var pools = await Task.WhenAll(Enumerable.Range(0, threads).Select(_ => Task.Factory.StartNew(() =>
        {
            List<Scheduler> own = [.. Enumerable.Range(0, schedulers).Select(_ => new NoScheduler())];
            start.SignalAndWait();
            List<BufferPool> first = [.. own.Select(dialer.PoolFor)];
            Assert.True(first.SequenceEqual(own.Select(dialer.PoolFor)), "another pool the second time");
            return first;
        }, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)));
        Assert.Equal(threads * schedulers, pools.SelectMany(pool => pool).Distinct().Count());
    }

    private sealed class NoDialer() : Dialer(usesLoops: true)
    {
        public override long Retries => 0;

        public override ValueTask<Duplex> OpenAsync(Scheduler scheduler, IDuplexOwner owner, CancellationToken cancellation) =>
            throw new NotSupportedException();
    }

    private sealed class NoScheduler : Scheduler
    {
        public override LatencyRecorder Recorder => throw new NotSupportedException();

        public override IReadOnlyCollection<LatencyRecorder> Recorders => [];

        public override void BeginWindow(WindowClock clock, LoadWindow window) => throw new NotSupportedException();

        public override void Post(Action<object?> action, object? state) => throw new NotSupportedException();

        public override void Schedule(long dueNs, ILoopTimer timer) => throw new NotSupportedException();

        public override void HurryTimers() => throw new NotSupportedException();

        public override void Dispose()
        {
        }
    }

    private sealed class FailingConnection(Func<Exception> failure) : FakeConnection
    {
        public override IReadOnlyList<IStream> Streams => [];

        public override bool IsOpen => false;

        public override Task OpenAsync(CancellationToken cancellation) => Task.FromException(failure());
    }
}
