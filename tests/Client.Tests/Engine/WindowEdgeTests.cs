using System.Collections.Concurrent;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Grpc;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Tests.Engine;

/// <summary>Checks that load continues across both edges of a window, and that a call is credited by its share inside.</summary>
public class WindowEdgeTests
{
    [Fact]
    public Task The_measured_rate_of_a_server_with_bursts_is_within_2_percent_even_in_a_short_window() => TestLoad.InTheEndAsync(async () =>
    {
        var (fast, fastTruth) = await BatchedAsync(seconds: 0.26);
        var (slow, slowTruth) = await BatchedAsync(seconds: 0.32);
        Assert.InRange(fast / fastTruth, 0.98, 1.02);
        Assert.InRange(slow / slowTruth, 0.98, 1.02);
    });

    [Theory]
    [InlineData("tcp")]
    [InlineData("unix")]
    [InlineData("pipe")]
    public Task Littles_law_holds_for_a_window_with_calls_across_both_edges(string kind) =>
        TestLoad.InTheEndAsync(async () =>
    {
        await using var server = new FakeServer(kind) { Delay = TimeSpan.FromSeconds(0.4) };
        var result = await TestLoad.MeasureAsync(TestLoad.Options(server.Address, streams: 3), Led(0.45, 1));
        // A call is credited by its own length. So if the machine makes some calls longer, the mean length times the credited
        // calls may differ from the calls in flight: at most by the mean over the shortest call, or over the longest.
        var (counts, mean) = (result.Latency.ToCounts(), result.Latency.Sum / (double)result.Ok);
        var (least, most) = (12 * 0.9 * mean / counts.Max, 12 * 1.1 * mean / counts.Min);
        Assert.InRange(result.Credited * mean / result.WindowNs, least, most);
        Assert.InRange(result.PayloadBytes, result.Credited * 10 * 0.6, result.Credited * 10 * 1.4); // replies come in steps
        Assert.Equal(server.Calls, result.AllOk); // the calls before and after the window too, as in the server's count
        Assert.True(result.AllOk > result.Ok + 12, $"{result.AllOk} calls, {result.Ok} of them started in the window");
    });

    [Fact]
    public Task Failed_calls_have_no_credit() => TestLoad.InTheEndAsync(async () =>
    {
        await using var server = new FakeServer
        {
            Delay = TimeSpan.FromMilliseconds(50),
            Answer = (stream, number) => number % 2 == 0 ? Frames.Reset(stream, 2) : Frames.Reply(stream, 10),
        };
        var result = await TestLoad.MeasureAsync(TestLoad.Options(server.Address, connections: 8), Led(0.1, 0.5));
        Assert.InRange(result.Credited / result.Ok, 0.7, 1.3);
        Assert.InRange(result.Failed["reset"] / (double)result.Ok, 0.7, 1.3);
    });

    [Fact]
    public Task The_first_reply_of_each_connection_in_the_window_is_checked() => TestLoad.InTheEndAsync(async () =>
    {
        var looked = 0;
        await using var server = new FakeServer();
        var call = new GrpcCall
        {
            Method = "some.Service/Get",
            Messages = [[]],
            Corpus = "00",
            Expect = _ => Interlocked.Increment(ref looked) <= 4 ? null : "name is another", // right before the window
        };
        var result = await TestLoad.MeasureAsync(TestLoad.Options(server.Address, connections: 4) with { Call = call }, Led(0.1, 0.3));
        Assert.Equal((4, 4 + 4), (result.Failed.GetValueOrDefault("not as expected"), looked));
        Assert.Equal("name is another", result.FailureMessages["not as expected"]);
    });

    [Fact]
    public Task If_no_call_is_answered_the_window_begins_when_the_load_begins() => TestLoad.InTheEndAsync(async () =>
    {
        await using var server = new FakeServer { Answer = (_, _) => [] };
        var result = await TestLoad.MeasureAsync(TestLoad.Options(server.Address, timeout: 1), Led(0.1, 0.8));
        Assert.Equal((4, 4, 0), (result.Started, result.CutOff, result.Ok));
        Assert.Equal(0, result.Credited);
    });

    [Fact]
    public Task A_window_of_slow_calls_lasts_at_least_four_median_calls() => TestLoad.InTheEndAsync(async () =>
    {
        await using var server = new FakeServer { Delay = TimeSpan.FromSeconds(0.2) };
        var window = Led(0.05, 0.1) with { Medians = 4 };
        var result = await TestLoad.MeasureAsync(TestLoad.Options(server.Address), window);
        Assert.InRange(result.LeadMedianNs!.Value, 190_000_000, 2_000_000_000);
        Assert.InRange(result.WindowNs, 4 * result.LeadMedianNs.Value, long.MaxValue);
    });

    [Fact]
    public async Task A_run_cancelled_before_the_window_measured_nothing()
    {
        await using var server = new FakeServer();
        await using var generator = await TestLoad.OpenAsync(TestLoad.Options(server.Address));
        using var cancel = new CancellationTokenSource(TimeSpan.FromMilliseconds(100));
        var result = await TestLoad.RunAsync(generator, Led(60, 60), cancel.Token);
        Assert.Equal((false, 0, 0.0), (result.HasBegun, result.Started, result.Credited));
    }

    [Fact]
    public Task An_open_loop_sends_across_the_edges_and_its_credited_rate_is_the_requested_rate() => TestLoad.InTheEndAsync(async () =>
    {
        await using var server = new FakeServer { Delay = TimeSpan.FromSeconds(0.2) };
        var window = Led(0.4, 0.5) with { Rate = 100 };
        var result = await TestLoad.MeasureAsync(TestLoad.Options(server.Address, connections: 40), window);
        Assert.InRange(result.Credited / (result.WindowNs / 1e9), 80, 120);
        // Calls that began up to a latency before the window are in flight in the window too.
        var latency = (double)result.Latency.Sum / result.Latency.Count;
        Assert.InRange(result.Started + result.NotSent, 40, 1.3 * 100 * (result.WindowNs + latency) / 1e9);
        Assert.InRange(result.NotSent, 0, 10);
    });

    [Theory]
    [InlineData(100, 150, 1.0)]     // inside
    [InlineData(50, 150, 0.5)]      // begins before the window
    [InlineData(150, 250, 0.5)]     // ends after the window
    [InlineData(0, 400, 0.25)]      // begins before and ends after the window
    [InlineData(0, 100, 0)]         // before
    [InlineData(200, 300, 0)]       // after
    public void The_credit_of_a_call_is_the_share_of_its_time_inside_the_window(long sent, long done, double share)
    {
        var clock = new WindowClock(0);
        clock.BeginAt(100);
        clock.EndAt(200);
        var recorder = new LatencyRecorder();
        recorder.Begin(clock, Led(1, 1));
        recorder.Record(recorder.RecordStart(sent, sent), sent, sent, done, CallResult.Ok(10));
        Assert.Equal(share, recorder.Credited);
        Assert.Equal(sent is >= 100 and < 200 ? 1 : 0, recorder.Ok);
        Assert.Equal(done is > 100 and <= 200 ? 1 : 0, recorder.Completed);
        recorder.Record(recorder.RecordStart(sent, sent), sent, sent, done, CallResult.Failed("reset"));
        Assert.Equal(share, recorder.Credited);
    }

    [Fact]
    public void Calls_due_before_the_window_do_not_count_as_unsent()
    {
        var unsent = new UnsentCalls(500_000_000, 1_000_000_000, long.MaxValue);
        unsent.AddClaimed([400_000_000, 600_000_000]);
        unsent.AddUnclaimed(new ConstantPacer(new WindowClock(0), null, 1000), 1000);
        Assert.Equal(501, unsent.Waits.Count);
        var many = new UnsentCalls(5_000_000_000, 10_000_000_000, long.MaxValue);
        many.AddUnclaimed(new ConstantPacer(new WindowClock(0), null, 1e9), 1e9);
        Assert.InRange(many.Waits.Count, 4_999_000_000, 5_000_000_001);
    }

    private static LoadWindow Led(double lead, double seconds) =>
        TestLoad.For(seconds) with { Lead = TimeSpan.FromSeconds(lead) };

    /// <summary>Measures 400 calls that are answered all at once. Returns the measured and the true requests/s.</summary>
    private static async Task<(double Measured, double Truth)> BatchedAsync(double seconds)
    {
        await using var server = new BatchConnection(streams: 400, TimeSpan.FromSeconds(seconds));
        await using var generator = await LoadGenerator.OpenAsync(
            TestLoad.Options(new Address.Tcp("nowhere", 1), connections: 1, streams: 400),
            new ConnectionSource(_ => server, UsesLoops: false, () => 0),
            CancellationToken.None);
        var edges = new Edges();
        var result = await generator.RunAsync(Led(0.4, 1), CancellationToken.None, edges).WaitAsync(TimeSpan.FromSeconds(30));
        // The true rate follows from the actual times of the answers. Between two answers all calls are in flight for the same time.
        var answered = server.Answered.ToArray();
        var batches = answered.Zip(answered.Skip(1), (from, to) =>
            Math.Max(0, Math.Min(to, edges.EndNs) - Math.Max(from, edges.BeginNs)) / (double)(to - from)).Sum();
        return (result.Credited / (result.WindowNs / 1e9), 400 * batches / ((edges.EndNs - edges.BeginNs) / 1e9));
    }

    private sealed class Edges : IWindowEdges
    {
        public long BeginNs { get; private set; }

        public long EndNs { get; private set; }

        public void OnBegin() => BeginNs = MonotonicClock.NowNs;

        public void OnEnd() => EndNs = MonotonicClock.NowNs;
    }

    /// <summary>Answers all calls in flight at regular intervals.</summary>
    private sealed class BatchConnection : FakeConnection
    {
        private readonly CancellationTokenSource stop = new();
        private readonly Task answering;
        private TaskCompletionSource next = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public BatchConnection(int streams, TimeSpan every)
        {
            Streams = [.. Enumerable.Range(0, streams).Select(_ => new BatchStream(this))];
            answering = Task.Run(() => AnswerAsync(every));
        }

        public override IReadOnlyList<IStream> Streams { get; }

        /// <summary>When the calls were answered. The answers continue while the test reads these times.</summary>
        public ConcurrentQueue<long> Answered { get; } = new();

        public override async ValueTask DisposeAsync()
        {
            await stop.CancelAsync();
            await answering;
        }

        private async Task AnswerAsync(TimeSpan every)
        {
            using var timer = new PeriodicTimer(every);
            while (!stop.IsCancellationRequested && await timer.WaitForNextTickAsync(CancellationToken.None))
            {
                Answered.Enqueue(MonotonicClock.NowNs);
                Interlocked.Exchange(ref next, new(TaskCreationOptions.RunContinuationsAsynchronously)).SetResult();
            }
        }

        private sealed class BatchStream(BatchConnection connection) : IStream
        {
            public ValueTask<bool> ReadyAsync() => new(true);

            public async ValueTask<CallResult> CallAsync(long sentNs)
            {
                await Volatile.Read(ref connection.next).Task;
                return CallResult.Ok(10);
            }
        }
    }
}
