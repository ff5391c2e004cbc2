using IpcBench.Client.Engine;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Tests.Engine;

/// <summary>Checks the hot loop and its workers on one thread. The worker continues inside the code of the test that ends a call.</summary>
public class WorkerTests
{
    private const long Ms = 1_000_000, Second = 1000 * Ms;

    private readonly SyncScheduler[] schedulers = [new(), new()];
    private readonly List<Scripted> connections = [];
    private WindowRun run = null!;

    private static CallResult Ok => CallResult.Ok(10);

    private static CallResult Reset => CallResult.Failed("reset");

    private Dictionary<string, long> Failed => schedulers.SelectMany(scheduler => scheduler.Recorder.Failed).ToDictionary();

    [Fact]
    public void Every_stream_has_a_call_in_flight_until_the_load_ends()
    {
        Start(new LoadWindow { Duration = TimeSpan.FromSeconds(9) }, streams: [1, 2, 1]);
        Assert.All(connections, connection => Assert.Equal((1, 1, true), (connection.Entered, connection.Left, connection.Accepting)));
        Assert.All(connections.SelectMany(connection => connection.Streams), stream => Assert.Equal(1, ((Call)stream).Begun));
        Of(0).End(Ok);
        Of(1, 1).End(Ok);
        Of(1, 1).End(Ok);
        Of(1, 1).End(Reset);
        Of(2).End(Ok);
        Of(2).End(CallResult.CutOff);
        Assert.Equal([1, 2, 1], run.CallsByConnection);
        Assert.Equal((2, 1, 4, 3), (Of(0).Begun, Of(1).Begun, Of(1, 1).Begun, Of(2).Begun));
        foreach (var stream in connections.SelectMany(Streams).SkipLast(1))
            EndLoad(stream);
        Assert.False(run.Drained.IsCompleted);
        EndLoad(Of(2));
        Assert.True(run.Drained.IsCompletedSuccessfully);
        Assert.Equal([2, 4, 2], run.CallsByConnection);
        Assert.Equal(new Dictionary<string, long> { ["reset"] = 1 }, Failed);
    }

    [Fact]
    public void An_internal_exception_ends_the_load_and_is_reported()
    {
        Start(new LoadWindow { Calls = 9 }, streams: [1]);
        Of(0).Fault(new InvalidOperationException("ours"));
        Assert.Equal("ours", run.Drained.Exception?.InnerException?.Message);
    }

    [Fact]
    public void Exactly_the_given_number_of_calls_is_made()
    {
        Start(new LoadWindow { Calls = 5 }, streams: [2, 1]);
        Of(0).End(Ok);
        Of(0).End(Ok);
        Of(1).End(Reset);
        Assert.Equal((3, 1, 1), (Of(0).Begun, Of(0, 1).Begun, Of(1).Begun));
        Of(0).End(Ok);
        Of(0, 1).End(Ok);
        Assert.True(run.Drained.IsCompletedSuccessfully);
        Assert.Equal([4, 0], run.CallsByConnection);
    }

    [Fact]
    public void A_call_sent_before_the_window_is_not_counted_in_the_calls_of_its_connection()
    {
        Start(new LoadWindow { Lead = TimeSpan.FromSeconds(1), Duration = TimeSpan.FromSeconds(1) }, streams: [1]);
        Of(0).End(Ok);
        run.Clock.BeginAt(MonotonicClock.NowNs);
        Of(0).End(Ok); // sent before the window
        Of(0).End(Ok);
        Assert.Equal([1], run.CallsByConnection);
        Assert.Equal((1, 3), (schedulers[0].Recorder.Ok, schedulers[0].Recorder.AllOk));
    }

    [Fact]
    public void A_call_that_waits_for_its_time_is_not_sent_when_the_load_ends()
    {
        Start(new LoadWindow { Rate = 0.001 }, streams: [1]);
        var begin = run.Clock.StartNs;
        Assert.Equal((1, 0), (Of(0).Begun, schedulers[0].Timers));
        Of(0).End(Ok);
        Assert.Equal((1, 1), (Of(0).Begun, schedulers[0].Timers));
        schedulers[0].HurryTimers();
        Assert.True(run.Drained.IsCompletedSuccessfully);
        run.Clock.EndAt(begin + 1500 * Second);
        Assert.Equal((1, 500 * Second), (run.NotSent(1).Count, run.NotSent(1).Sum));
    }

    [Fact]
    public void A_sent_call_does_not_count_as_unsent()
    {
        Start(new LoadWindow { Rate = 10 }, streams: [1]);
        EndLoad(Of(0));
        Assert.True(run.Drained.IsCompletedSuccessfully);
        run.Clock.EndAt(run.Clock.StartNs + 250 * Ms);
        var unsent = run.NotSent(1);
        Assert.Equal((2, 200 * Ms), (unsent.Count, unsent.Sum)); // due after 100 and 200 ms
    }

    [Fact]
    public void Messages_are_stamped_only_inside_the_window()
    {
        Start(new LoadWindow { Flow = Flow.Out, Lead = TimeSpan.FromSeconds(1), Duration = TimeSpan.FromSeconds(9) }, streams: [1]);
        Of(0).End(Ok);
        Assert.Equal([0, 0], Of(0).Dues);
        run.Clock.BeginAt(MonotonicClock.NowNs);
        Of(0).End(Ok);
        Assert.InRange(Of(0).Dues[^1], run.Clock.BeginNs, MonotonicClock.NowNs);
        Assert.Equal(Of(0).SentNs, Of(0).Dues[^1]);
    }

    [Fact]
    public void A_broken_stream_loses_the_messages_since_its_last_receipt()
    {
        Start(new LoadWindow { Flow = Flow.Out, Duration = TimeSpan.FromSeconds(9) }, streams: [1]);
        Of(0).End(Ok);
        Of(0).End(Ok);
        Assert.Equal([2], run.CallsByConnection);
        Of(0).End(Reset);
        Assert.Equal([0], run.CallsByConnection);
        Assert.Equal(new Dictionary<string, long> { ["reset"] = 1, ["not received"] = 2 }, Failed);
        Of(0).Receipt = new Receipt(run.Clock.BeginNs, 10, [3], [(7, 3)]);
        Of(0).End(Ok);
        Of(0).End(Reset);
        Of(0).End(Reset);
        Assert.Equal([1], run.CallsByConnection);
        Assert.Equal(new Dictionary<string, long> { ["reset"] = 3, ["not received"] = 2 }, Failed);
        Assert.Equal(3, schedulers[0].Recorder.Latency.Count);
        Of(0).End(Ok);
        Of(0).Ending = CallResult.Failed("wrong count");
        EndLoad(Of(0));
        Assert.True(run.Drained.IsCompletedSuccessfully);
        Assert.Equal([1], run.CallsByConnection);
        Assert.Equal(new Dictionary<string, long> { ["reset"] = 3, ["not received"] = 4, ["wrong count"] = 1 }, Failed);
        Assert.Equal((1, 9), (schedulers[0].Recorder.Ok, schedulers[0].Recorder.Started));
    }

    [Fact]
    public void A_call_that_waits_for_a_new_stream_is_not_counted_by_the_receipt_of_the_ended_stream()
    {
        Start(new LoadWindow { Flow = Flow.Out, Duration = TimeSpan.FromSeconds(9) }, streams: [1]);
        Of(0).End(Ok);
        var wait = Of(0).Wait = new();
        Of(0).End(Ok);
        (Of(0).Wait, Of(0).Receipt) = (null, new Receipt(run.Clock.BeginNs, Ms, [2], []));
        wait.SetResult(true);
        Of(0).End(Ok);
        Of(0).End(Reset);
        Assert.Equal(new Dictionary<string, long> { ["reset"] = 1, ["not received"] = 1 }, Failed);
        Assert.Equal((2, 5), (schedulers[0].Recorder.Ok, schedulers[0].Recorder.Started));
    }

    [Theory]
    [InlineData(100.0, 40)]
    [InlineData(2.0, 2000)]
    [InlineData(null, 0)]
    public void Each_stream_has_its_share_of_the_rate_and_its_first_due_time(double? rate, long gapMs)
    {
        var before = MonotonicClock.NowNs;
        Start(new LoadWindow { Flow = Flow.In, Rate = rate, Duration = TimeSpan.FromSeconds(9) }, streams: [2, 2]);
        var streams = connections.SelectMany(Streams).ToList();
        Assert.Equal(
            Enumerable.Range(0, 4).Select(i => ((rate ?? 0) / 4, i * gapMs * Ms / 4)),
            streams.Select(stream => (stream.PerSecond, stream.DelayNs)));
        for (var i = 0; i < 4; i++)
        {
            var wait = gapMs * Ms + i * gapMs * Ms / 4;
            Assert.InRange(streams[i].SentNs, before + wait, MonotonicClock.NowNs + wait);
        }
    }

    [Fact]
    public void The_stream_after_an_ended_stream_begins_when_the_next_message_is_due()
    {
        Start(new LoadWindow { Flow = Flow.In, Rate = 100, Duration = TimeSpan.FromSeconds(9) }, streams: [2]);
        for (var number = 1; number < 100; number++)
        {
            var before = MonotonicClock.NowNs;
            Of(0, 1).End(Ok);
            var due = run.Clock.StartNs + 10 * Ms + number * 20 * Ms;
            Assert.InRange(Of(0, 1).DelayNs, due - MonotonicClock.NowNs, due + 30 * Second - before);
        }
    }

    [Fact]
    public void Messages_due_after_the_last_message_of_a_sender_count_as_not_sent()
    {
        Start(new LoadWindow { Flow = Flow.In, Rate = 100, Duration = TimeSpan.FromSeconds(1) }, streams: [2, 2]);
        var begin = run.Clock.BeginNs;
        foreach (var stream in connections.SelectMany(Streams).Take(3))
        {
            stream.DueNs = begin + 210 * Ms;
            stream.End(Ok);
        }
        Of(1).DueNs = null; // the last message has the time of another clock
        Of(1).End(Ok);
        Of(0).End(Reset); // a failure has no due time
        Of(0).DueNs = begin + 210 * Ms;
        Of(0).End(Ok);
        Assert.Equal([3, 2], run.CallsByConnection);
        Assert.Equal(new Dictionary<string, long> { ["reset"] = 1 }, Failed);
        foreach (var stream in connections.SelectMany(Streams))
            stream.End(CallResult.Over);
        Assert.True(run.Drained.IsCompletedSuccessfully);
        run.Clock.EndAt(begin + Second);
        // Two streams, every 40 ms from 250 ms on: 19 each.
        Assert.Equal(2 * 19, run.NotSent(5).Count);
    }

    private static IEnumerable<Call> Streams(Scripted connection) => connection.Streams.Cast<Call>();

    private Call Of(int connection, int stream = 0) => (Call)connections[connection].Streams[stream];

    /// <summary>Ends the load, and ends the last call of the stream successfully.</summary>
    private void EndLoad(Call stream)
    {
        connections.ForEach(connection => connection.SetAccepting(false));
        stream.End(Ok);
    }

    /// <summary>Starts load on connections with the given numbers of streams, on two threads.</summary>
    private void Start(LoadWindow window, int[] streams)
    {
        SynchronizationContext.SetSynchronizationContext(null);
        foreach (var count in streams)
            connections.Add(new Scripted(count, window.Flow != Flow.Both));
        var half = (connections.Count + 1) / 2; // in blocks, as the generator spreads connections
        schedulers[0].Connections.AddRange(connections.Take(half));
        schedulers[1].Connections.AddRange(connections.Skip(half));
        run = new WindowRun(window, schedulers);
        run.Start();
    }

    private sealed class Scripted : FakeConnection
    {
        public Scripted(int streams, bool oneWay) =>
            Streams = [.. Enumerable.Range(0, streams).Select(_ => oneWay ? new Message(this) : new Call(this))];

        public override IReadOnlyList<IStream> Streams { get; }
        public bool Accepting { get; private set; }
        public int Entered { get; private set; }
        public int Left { get; private set; }

        public override void SetAccepting(bool accepting) => Accepting = accepting;

        public override void Enter() => Entered++;

        public override void Leave() => Left++;
    }

    private class Call(Scripted connection) : IStream
    {
        private TaskCompletionSource<CallResult> call = new();

        public int Begun { get; private set; }
        public long SentNs { get; private set; }
        public CallResult Ending { get; set; } = CallResult.Ok(0);
        public List<long> Dues { get; } = [];
        public Receipt? Receipt { get; set; }
        public double PerSecond { get; protected set; } = -1;
        public long DelayNs { get; protected set; } = -1;
        public long? DueNs { get; set; }

        public void End(CallResult result) => call.SetResult(result);

        public void Fault(Exception fault) => call.SetException(fault);

        /// <summary>What the next call waits for. Null: nothing.</summary>
        public TaskCompletionSource<bool>? Wait { get; set; }

        public ValueTask<bool> ReadyAsync() => Wait is { } wait ? new(wait.Task) : new(connection.Accepting);

        public ValueTask<CallResult> CallAsync(long sentNs)
        {
            (Begun, SentNs, call) = (Begun + 1, sentNs, new());
            return new(call.Task);
        }

        public ValueTask<CallResult> EndAsync(long nowNs) => new(Ending);
    }

    private sealed class Message(Scripted connection) : Call(connection), IOneWayStream
    {
        public void SetDue(long dueNs) => Dues.Add(dueNs);

        public Receipt? TakeReceipt()
        {
            var taken = Receipt;
            Receipt = null;
            return taken;
        }

        public void Pace(double perSecond, long delayNs) => (PerSecond, DelayNs) = (perSecond, delayNs);

        long? IOneWayStream.DueNs(long nowNs) => DueNs;
    }
}
