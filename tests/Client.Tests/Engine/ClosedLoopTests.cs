using IpcBench.Client.Engine;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http2.Support;

namespace IpcBench.Client.Tests.Engine;

public class ClosedLoopTests
{
    [Theory]
    [InlineData("tcp", 1)]
    [InlineData("unix", 1)]
    [InlineData("pipe", 1)]
    [InlineData("tcp", 7)]
    [InlineData("unix", 7)]
    [InlineData("pipe", 7)]
    public async Task Every_transport_carries_exactly_the_given_number_of_calls(string kind, int streams)
    {
        var begun = new TaskCompletionSource();
        await using var server = new FakeServer(kind) { Release = begun.Task };
        await using var generator = await TestLoad.OpenAsync(TestLoad.Options(server.Address, connections: 5, streams: streams));
        Assert.Equal(5, server.Accepted);
        const int calls = 1_000;
        var running = TestLoad.RunAsync(generator, new LoadWindow { Calls = calls });
        // No stream has an answer before all streams have sent a call, so no stream can make the calls of another stream.
        await TestLoad.UntilAsync(() => server.Calls >= 5 * streams);
        begun.SetResult();
        var result = await running;
        Assert.Equal((calls, calls, calls, 10 * calls), (result.Started, result.Ok, result.Completed, result.Replies.Bytes));
        Assert.Equal(calls, server.Calls);
        Assert.Equal((5, 5, 5), (result.Connections.Requested, result.Connections.Opened, result.Connections.Active));
        Assert.InRange(result.Connections.FewestCalls, streams, calls / 5);
        Assert.InRange(result.Connections.Fairness, 1.0 / 5, 1);
        Assert.Equal(4, result.Connections.ConnectTimesNs.Count);
        Assert.Equal(calls, generator.CallsSoFar);
    }

    [Fact]
    public async Task Windows_follow_one_another_over_the_same_connections()
    {
        await using var server = new FakeServer();
        await using var generator = await TestLoad.OpenAsync(TestLoad.Options(server.Address));
        for (var i = 1; i <= 3; i++)
        {
            var result = await TestLoad.RunAsync(generator, new LoadWindow { Calls = 50 });
            Assert.Equal(50, result.Ok);
            Assert.Equal(50 * i, generator.CallsSoFar);
        }
        Assert.Equal(4, server.Accepted);
    }

    [Fact]
    public Task Calls_across_the_edge_of_a_window_have_a_latency_and_count_by_their_share_inside() => TestLoad.InTheEndAsync(async () =>
    {
        await using var server = new FakeServer { Delay = TimeSpan.FromSeconds(0.9) };
        var result = await TestLoad.MeasureAsync(TestLoad.Options(server.Address), TestLoad.For(1));
        Assert.InRange(result.WindowNs, 1_000_000_000, 5_000_000_000); // the actual length, not the planned length
        Assert.Equal(4, result.Started - result.Completed); // each stream had one call in flight when the window ended
        Assert.Equal(result.Started, result.Ok);
        // Task.Delay counts in ticks of the system and may end a little early.
        Assert.InRange(result.Latency.Sum / (double)result.Ok, 0.88e9, 2e9);
        // The true rate is one call per latency on each stream.
        var truth = 4 / (result.Latency.Sum / 1e9 / result.Ok);
        Assert.InRange(result.Credited / (result.WindowNs / 1e9), truth * 0.98, truth * 1.02);
    });

    [Fact]
    public async Task Failures_are_counted_by_kind_and_enter_neither_rate_nor_latency()
    {
        await using var server = new FakeServer
        {
            Answer = (stream, number) => (number % 4) switch
            {
                0 => Frames.Reply(stream, 9),
                1 => [.. Frames.ResponseHeaders(stream), .. Frames.Data(stream, Frames.Message(10)), .. Frames.Trailers(stream, 13)],
                2 => Frames.Reset(stream, 2),
                _ => Frames.Reply(stream, 10),
            },
        };
        var result = await TestLoad.MeasureAsync(TestLoad.Options(server.Address), new LoadWindow { Calls = 400 });
        Assert.Equal(new Dictionary<string, long> { ["wrong length"] = 100, ["status 13"] = 100, ["reset"] = 100 }, result.Failed);
        Assert.Equal((100, 100, 1000), (result.Ok, result.Completed, result.Replies.Bytes));
    }

    [Fact]
    public Task A_call_without_an_answer_is_cut_off_and_the_time_waited_is_kept_as_a_lower_bound() => TestLoad.InTheEndAsync(async () =>
    {
        await using var server = new FakeServer { Answer = (_, _) => [] };
        var result = await TestLoad.MeasureAsync(TestLoad.Options(server.Address, timeout: 0.3), TestLoad.For(0.5));
        Assert.Equal((0, 0), (result.Ok, result.Completed));
        Assert.InRange(result.CutOff, 4, 8);
        Assert.InRange(result.CutOffLatency.Sum / result.CutOff, 290_000_000, 5_000_000_000);
    });

    [Fact]
    public async Task Cancelling_ends_the_window_early_and_keeps_what_was_measured()
    {
        await using var server = new FakeServer();
        await using var generator = await TestLoad.OpenAsync(TestLoad.Options(server.Address));
        using var cancel = new CancellationTokenSource();
        var running = TestLoad.RunAsync(generator, TestLoad.For(60), cancel.Token);
        await TestLoad.UntilAsync(() => server.Calls > 20);
        await cancel.CancelAsync();
        var result = await running;
        Assert.InRange(result.WindowNs, 1, 30_000_000_000);
        Assert.True(result.Ok > 20 - 4, $"{result.Ok} calls"); // of more than 20 calls, four at most were in flight
    }

    [Fact]
    public async Task Cancelling_does_not_wait_for_a_server_that_hangs()
    {
        await using var server = new FakeServer { Answer = (_, _) => [] };
        await using var generator = await TestLoad.OpenAsync(TestLoad.Options(server.Address, timeout: 100));
        using var cancel = new CancellationTokenSource();
        var running = TestLoad.RunAsync(generator, TestLoad.For(60), cancel.Token);
        await TestLoad.UntilAsync(() => server.Calls == 4);
        await cancel.CancelAsync();
        Assert.Equal(4, (await running).CutOff);
    }

    [Fact]
    public async Task Streams_above_the_limit_of_the_server_wait_for_a_free_stream_and_never_fail()
    {
        // The delay keeps calls in flight: a client that did not wait would have all 20 calls at the server.
        await using var server = new FakeServer { Greeting = Frames.Settings((3, 2)), Delay = TimeSpan.FromMilliseconds(1) };
        var (gate, answered, most) = (new Lock(), 0, 0);
        server.Answer = (stream, _) =>
        {
            lock (gate)
                most = Math.Max(most, server.Calls - answered++);
            return Frames.Reply(stream, 10);
        };
        var result = await TestLoad.MeasureAsync(
            TestLoad.Options(server.Address, connections: 2, streams: 10), new LoadWindow { Calls = 300 });
        Assert.Equal(300, result.Ok);
        Assert.InRange(most, 1, 2 * 2);
    }

    [Fact]
    public Task The_calls_in_each_100_ms_of_the_window_are_counted() => TestLoad.InTheEndAsync(async () =>
    {
        await using var server = new FakeServer { Delay = TimeSpan.FromMilliseconds(5) };
        var result = await TestLoad.MeasureAsync(TestLoad.Options(server.Address), TestLoad.For(0.55));
        Assert.Equal(6, result.Buckets.Count);
        Assert.DoesNotContain(0L, result.Buckets); // the server answers each stream every 5 ms
    });
}
