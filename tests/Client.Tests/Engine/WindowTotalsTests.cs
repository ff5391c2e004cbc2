using IpcBench.Client.Engine;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Engine;

/// <summary>Checks the sums over threads, from calls that the test records itself. Times are in ms from the window's begin.</summary>
public class WindowTotalsTests
{
    private const long Ms = 1_000_000, Second = 1000 * Ms;

    private static readonly CallResult Reset = CallResult.Failed("reset");

    private readonly SyncScheduler[] schedulers = [new(), new(), new()];
    private WindowRun run = null!;
    private WindowReadings readings = null!;

    private static LoadWindow Timed => new() { Duration = TimeSpan.FromSeconds(1) };

    [Fact]
    public void The_total_adds_all_threads_and_a_call_without_an_end_counts_as_at_least_the_timeout()
    {
        Make(Timed);
        run.Clock.EndAt(At(250));
        Call(0, 10, 20, CallResult.Ok(10));
        Call(0, 20, 120, CallResult.Ok(20));
        Call(0, 30, 40, Reset);
        Call(1, 10, 110, CallResult.Ok(30));
        Call(1, 200, 300, CallResult.Ok(40)); // half of the call is inside the window
        Call(1, 0, 10, Reset);
        Call(1, 0, 10, CallResult.Failed("status 13"));
        Call(1, 50, 90, CallResult.CutOff);
        schedulers[1].Recorder.RecordStart(At(60), At(60));
        run.LeadMedianNs = 77;
        var result = Sum("the server is gone");
        Assert.Equal((9, 4, 2, 3, 3.5), (result.Started, result.Ok, result.CutOff, result.Completed, result.Credited));
        Assert.Equal(new Dictionary<string, long> { ["reset"] = 2, ["status 13"] = 1 }, result.Failed);
        Assert.Equal((4, 310 * Ms), (result.Latency.Count, result.Latency.Sum));
        Assert.Equal((2, 40 * Ms + 7 * Second), (result.CutOffLatency.Count, result.CutOffLatency.Sum));
        Assert.Equal(new ReplySizes(60, 10, 30), result.Replies);
        Assert.Equal((3, 117), (result.AllOk, result.PayloadBytes)); // 3.5 calls of 100 / 3 bytes; OkBefore is one call
        Assert.Equal([2, 2, 0], result.ThreadCalls);
        Assert.Equal([1, 2, 0], result.Buckets);
        Assert.Equal((250 * Ms, 77, "the server is gone"), (result.WindowNs, result.LeadMedianNs, result.ServerLost));
        Assert.Equal((0, 0), (result.NotSent, result.NotSentLatency.Count));
        Assert.All([result.ServiceTime, result.SendLateness], one => Assert.Null(one));
        Assert.Equal((3, 0), (result.Connections.Requested, result.Connections.Active));
        Assert.True(result.HasBegun);
    }

    [Theory]
    [InlineData(1, 1)]
    [InlineData(200_000_000, 2)]
    [InlineData(200_000_001, 3)]
    public void Each_full_or_partial_100_ms_of_the_window_has_one_bucket(long windowNs, int buckets)
    {
        Make(Timed);
        run.Clock.EndAt(At(0) + windowNs);
        Assert.Equal(buckets, Sum().Buckets.Count);
    }

    [Fact]
    public void A_window_of_counted_calls_lasts_from_the_first_send_to_the_last_end()
    {
        Make(new LoadWindow { Calls = 2 });
        Call(0, 10, 30, CallResult.Ok(1));
        Call(1, 5, 25, CallResult.Ok(1));
        var result = Sum();
        Assert.Equal((25 * Ms, 2, 1), (result.WindowNs, result.Completed, result.Buckets.Count));
        Make(new LoadWindow { Calls = 2 });
        Assert.Equal((0, 0), (Sum().WindowNs, Sum().Started));
        // With a rate the window begins at its planned time.
        Make(new LoadWindow { Calls = 1, Rate = 10 });
        Call(1, 5, 25, CallResult.Ok(1));
        Assert.Equal(25 * Ms, Sum().WindowNs);
    }

    [Fact]
    public void Calls_that_are_lost_inside_the_tool_end_the_run()
    {
        Make(Timed);
        run.Clock.EndAt(At(250));
        schedulers[0].Recorder.Record(CallPart.Window, At(0), At(0), At(1), CallResult.Ok(1));
        Assert.Equal(
            "calls were lost inside the tool: 0 started, 1 ok, 0 failed, 0 cut off",
            Assert.Throws<InvalidOperationException>(() => Sum()).Message);
    }

    [Theory]
    [InlineData("Both", true, true)]
    [InlineData("Out", false, true)]
    [InlineData("In", false, false)]
    public void An_open_loop_has_service_times_of_answered_calls_and_lateness_of_sent_calls(
        string flow, bool hasService, bool hasLateness)
    {
        Make(Timed with { Rate = 10, Flow = Enum.Parse<Flow>(flow) });
        run.Clock.EndAt(At(250));
        schedulers[0].Recorder.RecordStart(At(10), At(15));
        schedulers[0].Recorder.Record(CallPart.Window, At(10), At(15), At(40), CallResult.Ok(1));
        var result = Sum();
        Assert.Equal(
            (hasService ? 25 * Ms : (long?)null, hasLateness ? 5 * Ms : (long?)null), (result.ServiceTime?.Sum, result.SendLateness?.Sum));
    }

    [Fact]
    public void Calls_due_but_not_sent_are_counted_with_the_wait_until_the_end_of_the_window()
    {
        Make(Timed with { Rate = 10 });
        run.Clock.EndAt(At(1000));
        schedulers[2].Recorder.RecordStart(At(50), At(1100)); // sent, but after the end
        // The waits are 1000 ms, 900 ms … 100 ms, and 950 ms.
        var result = Sum();
        Assert.Equal((11, 11, 6450 * Ms), (result.NotSent, result.NotSentLatency.Count, result.NotSentLatency.Sum));
        Make(Timed with { Rate = 10, Calls = 3 });
        run.Clock.EndAt(At(1000));
        Assert.Equal(2, run.NotSent(started: 1).Count);
        Make(Timed with { Calls = 3 });
        run.Clock.EndAt(At(1000));
        Assert.Equal(0, run.NotSent(started: 1).Count);
    }

    [Fact]
    public void Only_claimed_calls_that_were_due_in_the_window_count_as_unsent()
    {
        var unsent = new UnsentCalls(100, 200, 3);
        unsent.AddClaimed([99, 100, 200, 199, 201, 150, 160]);
        Assert.Equal((3, 100 + 1 + 50), (unsent.Waits.Count, unsent.Waits.Sum));
        unsent.AddUnclaimed(new ConstantPacer(new WindowClock(0), null, 1e9), 1e9);
        Assert.Equal(3, unsent.Waits.Count);
    }

    [Theory]
    [InlineData(500, 10, 5000 + 500)] // 1000 ms, 900 ms …
    [InlineData(550, 10, 5000)] // 950 ms, 850 ms …
    [InlineData(1000, 10, 5000 + 500)]
    [InlineData(1950, 1, 50)]
    [InlineData(2000, 0, 0)]
    [InlineData(3000, 0, 0)]
    public void Messages_due_after_a_sender_stopped_are_unsent(long firstMs, int count, long sumMs)
    {
        var unsent = new UnsentCalls(1000 * Ms, 2000 * Ms, long.MaxValue);
        unsent.AddFrom(firstMs * Ms, 10);
        Assert.Equal(count, unsent.Waits.Count);
        Assert.InRange(unsent.Waits.Sum, sumMs * Ms - 20, sumMs * Ms + 20); // each wait is rounded
        var few = new UnsentCalls(1000 * Ms, 2000 * Ms, 4);
        few.AddClaimed([1500 * Ms]);
        few.AddFrom(firstMs * Ms, 10);
        Assert.Equal(1 + Math.Min(3, count), few.Waits.Count);
    }

    private long At(long ms) => run.Clock.StartNs + ms * Ms;

    private void Make(LoadWindow window)
    {
        foreach (var scheduler in schedulers)
        {
            scheduler.Connections.Clear();
            scheduler.Connections.Add(new NoStreams());
        }
        readings = new WindowReadings(
            [.. schedulers.SelectMany(scheduler => scheduler.Connections)],
            new ConnectionSource(_ => null!, UsesLoops: false, () => 0), [], null)
        {
            OkBefore = schedulers.Sum(one => one.Recorder.AllOk) + 1,
        };
        readings.OnBegin();
        run = new WindowRun(window, schedulers);
        Assert.Equal(run.Clock.StartNs, run.Clock.BeginNs);
    }

    private LoadResult Sum(string? lost = null) => WindowTotals.Compute(run, schedulers, new EngineOptions
    {
        Address = new Address.Unix("/x"),
        Size = 1,
        Connections = 3,
        Threads = 3,
        Timeout = TimeSpan.FromSeconds(7),
    }, readings, lost);

    private void Call(int thread, long sentMs, long doneMs, CallResult result)
    {
        var recorder = schedulers[thread].Recorder;
        recorder.Record(recorder.RecordStart(At(sentMs), At(sentMs)), At(sentMs), At(sentMs), At(doneMs), result);
    }

    private sealed class NoStreams : FakeConnection
    {
        public override IReadOnlyList<IStream> Streams => [];
    }
}
