using System.Diagnostics;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http1;
using IpcBench.Client.Tests.Http1.Support;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Tests.Engine;

/// <summary>Checks that a window ends whatever happens to its calls, and that lost connections are reopened.</summary>
public class WindowEndTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task Calls_that_never_end_are_counted_as_cut_off_and_end_the_run(bool byCount) => TestLoad.InTheEndAsync(async () =>
    {
        var options = TestLoad.Options(new Address.Tcp("nowhere", 1), connections: 3, timeout: 0.3);
        var window = byCount ? new LoadWindow { Calls = 3 } : TestLoad.For(0.2);
        await using var generator = await LoadGenerator.OpenAsync(options, Stuck, CancellationToken.None);
        var begun = Stopwatch.GetTimestamp();
        var result = await TestLoad.RunAsync(generator, window, byCount ? new CancellationTokenSource(200).Token : CancellationToken.None);
        Assert.InRange(Stopwatch.GetElapsedTime(begun).TotalSeconds, 0.3, 10);
        Assert.Equal((3, 3), (result.Started, result.CutOff));
        Assert.Equal("calls to http://nowhere:1 had not ended 2.3 s after the window, so this tool counts these calls as cut off "
            + "(the client got too little CPU time, or the tool has a fault: please report this fault)", result.ServerLost);
    });

    [Theory]
    [InlineData(null, null, CallMode.Unary, "2")]
    [InlineData(20L, null, CallMode.Unary, "2")]
    [InlineData(20L, 1000.0, CallMode.Unary, "2")]
    [InlineData(null, null, CallMode.Pull, "2.4")] // missing messages are cut off first
    public async Task If_the_server_allows_no_new_call_the_window_ends_and_reports_the_reason(
        long? calls, double? rate, string mode, string seconds)
    {
        await using var server = new FakeServer { Greeting = Frames.Settings((3, 0)) };
        var window = new LoadWindow { Calls = calls, Rate = rate, Duration = calls is null ? TimeSpan.FromMinutes(10) : null };
        var result = await TestLoad.MeasureAsync(TestLoad.Options(server.Address, timeout: 0.2) with { Mode = mode }, window);
        Assert.Equal((0, 0), (result.Started, result.CutOff));
        Assert.Equal(
            $"the server at {server.Address} let no call begin for {seconds} s: its SETTINGS_MAX_CONCURRENT_STREAMS is 0",
            result.ServerLost);
    }

    [Fact]
    public Task Moments_without_a_call_in_flight_do_not_count_as_a_lost_server() => TestLoad.InTheEndAsync(async () =>
    {
        await using var generator = await OpenAsync(new WatchedConnection(_ => Task.CompletedTask), timeout: 0.2);
        var result = await TestLoad.RunAsync(generator, TestLoad.For(2.4) with { Rate = 200 });
        Assert.Null(result.ServerLost);
        Assert.True(result.Ok > 200, $"{result.Ok} calls");
    });

    [Fact]
    public Task The_check_for_late_calls_runs_at_most_every_100_ms_and_the_load_ends_once() => TestLoad.InTheEndAsync(async () =>
    {
        WatchedConnection connection = null!;
        connection = new WatchedConnection(async _ =>
        {
            await TestLoad.UntilAsync(() => connection.CutOffs >= 3);
            await Task.Delay(5);
        });
        await using var generator = await OpenAsync(connection, timeout: WatchedConnection.TimeoutSeconds);
        var begun = MonotonicClock.NowNs;
        await TestLoad.RunAsync(generator, TestLoad.For(0.3));
        // A busy machine may begin no call in the window. Then nothing waits for three checks.
        Assert.InRange(connection.CutOffs, 3, (MonotonicClock.NowNs - begun) / 100_000_000 + 1);
        Assert.Equal((0, 1), (connection.TooEarly, connection.LoadEnds));
    });

    [Fact]
    public Task A_cancelled_load_continues_until_the_calls_in_flight_have_ended() => TestLoad.InTheEndAsync(async () =>
    {
        using var cancel = new CancellationTokenSource();
        var (calls, after, edges, slow) = (0, 0, new Edges(), new TaskCompletionSource());
        var connection = new WatchedConnection(stream =>
        {
            if (stream == 0)
                return slow.Task.IsCompleted ? Task.Delay(1) : slow.Task;
            if (++calls == 10)
                cancel.Cancel();
            if (edges.Ended && ++after == 20)
                slow.SetResult();
            return Task.Delay(1);
        });
        await using var generator = await OpenAsync(connection, timeout: 10);
        var result = await generator.RunAsync(TestLoad.For(60), cancel.Token, edges).WaitAsync(TestLoad.Patience);
        Assert.Equal((0, result.Started), (result.CutOff, result.Ok));
        Assert.True(after >= 20, $"{after} calls after the window");
    });

    [Theory]
    [InlineData("unix")]
    [InlineData("tcp")]
    [InlineData("pipe")]
    public async Task All_gRPC_connections_that_are_lost_while_reopening_are_reopened(string kind)
    {
        await using var server = new FakeServer(kind);
        await using var generator = await TestLoad.OpenAsync(TestLoad.Options(server.Address));
        (server.Greeting, server.Closes) = ([.. Frames.Settings(), .. Frames.GoAway(0)], number => number <= 16);
        server.Kill(4);
        // The window is cancelled early, because calls that wait for a connection are then cut off soon.
        using var early = new CancellationTokenSource(300);
        await TestLoad.RunAsync(generator, TestLoad.For(60), early.Token);
        server.Greeting = Frames.Settings();
        await AllComeBackAsync(generator);
        Assert.InRange(server.Accepted, 16 + 4, int.MaxValue); // the connections up to the 16th were lost
    }

    [Theory]
    [InlineData("unix")]
    [InlineData("tcp")]
    public async Task All_HTTP_connections_that_are_lost_while_reopening_are_reopened(string kind)
    {
        await using var server = new FakeHttpServer(kind) { Closes = number => number is > 4 and <= 12 };
        server.Answer = async (socket, _, number) => await FakeHttpServer.SayAsync(socket, FakeHttpServer.Reply(10)) && number > 4;
        await using var generator = await TestLoad.OpenAsync(HttpCallTests.Options(server.Address));
        await AllComeBackAsync(generator);
        Assert.InRange(server.Accepted, 12 + 1, int.MaxValue); // the connections from the 5th to the 12th were lost
    }

    /// <summary>Waits for a window in which all connections are open and no call fails.</summary>
    private static Task AllComeBackAsync(LoadGenerator generator) => TestLoad.InTheEndAsync(async () =>
    {
        var result = await TestLoad.RunAsync(generator, TestLoad.For(0.2));
        Assert.Equal(
            (4, 4, 0, 0), (result.Connections.Opened, result.Connections.Active, result.Failed.Count, result.CutOff));
    });

    private static Task<LoadGenerator> OpenAsync(IConnection connection, double timeout) => LoadGenerator.OpenAsync(
        TestLoad.Options(new Address.Tcp("nowhere", 1), connections: 1, timeout: timeout),
        new ConnectionSource(_ => connection, UsesLoops: false, () => 0), CancellationToken.None);

    private sealed class Edges : IWindowEdges
    {
        private volatile bool ended;

        public bool Ended => ended;

        public void OnBegin()
        {
        }

        public void OnEnd() => ended = true;
    }

    /// <summary>A connection with two streams whose calls take as long as the test says. Counts cut-offs and ends of the load.</summary>
    private sealed class WatchedConnection : FakeConnection
    {
        public const long TimeoutSeconds = 7;

        private int cutOffs, tooEarly, loadEnds;

        public WatchedConnection(Func<int, Task> call) => Streams = [new Stream(() => call(0)), new Stream(() => call(1))];

        public override IReadOnlyList<IStream> Streams { get; }
        public int CutOffs => cutOffs;
        public int TooEarly => tooEarly;
        public int LoadEnds => loadEnds;

        public override void CutOff(long sentBeforeNs)
        {
            Interlocked.Increment(ref cutOffs);
            if (sentBeforeNs > MonotonicClock.NowNs - TimeoutSeconds * 1_000_000_000)
                Interlocked.Increment(ref tooEarly);
        }

        public override void SetAccepting(bool accepting) => Interlocked.Add(ref loadEnds, accepting ? 0 : 1);

        private sealed class Stream(Func<Task> call) : IStream
        {
            public ValueTask<bool> ReadyAsync() => new(true);

            public async ValueTask<CallResult> CallAsync(long sentNs)
            {
                await call();
                return CallResult.Ok(0);
            }
        }
    }

    /// <summary>Makes connections whose calls never end, which no real connection should do.</summary>
    private static ConnectionSource Stuck => new(_ => new StuckConnection(), UsesLoops: false, () => 0);

    private sealed class StuckConnection : FakeConnection, IStream
    {
        public override IReadOnlyList<IStream> Streams => [this];

        public ValueTask<bool> ReadyAsync() => new(true);
        public ValueTask<CallResult> CallAsync(long sentNs) => new(new TaskCompletionSource<CallResult>().Task);
        public override ValueTask DisposeAsync() => new(new TaskCompletionSource().Task);
    }
}
