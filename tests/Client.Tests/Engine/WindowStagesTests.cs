using IpcBench.Client.Engine;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Tests.Engine;

/// <summary>Checks when a window enters its next stage, at times that the test chooses. The edges have the clock's real time.</summary>
public class WindowStagesTests
{
    private const long Second = 1_000_000_000, Timeout = 5 * Second;

    private readonly Edges edges = new();
    private readonly List<SyncScheduler> schedulers = [];
    private WindowRun run = null!;
    private WindowStages stages = null!;

    private static LoadWindow Led => new() { Lead = TimeSpan.FromSeconds(1), Duration = TimeSpan.FromSeconds(2) };

    private static LoadWindow Timed => new() { Duration = TimeSpan.FromSeconds(2) };

    private long LeadOver => run.Clock.StartNs + Second;

    [Theory]
    [InlineData(2, 2, null, 2)]
    [InlineData(2, 3, null, 3)]
    [InlineData(1, 5, null, 2)]
    [InlineData(1, 1, null, 1)]
    [InlineData(2, 4, 1L, 1)]
    [InlineData(1, 4, 0L, 1)]
    public void The_window_begins_when_the_lead_is_over_and_half_of_the_streams_have_ended_a_call(
        int connections, int streams, long? allowed, int needed)
    {
        Make(Led, connections, streams, allowed);
        for (var ended = 0; ended < needed; ended++)
        {
            stages.Step(LeadOver, Timeout);
            Assert.Equal((0, false, true), (edges.Begins, stages.IsOver, stages.HasLoad));
            LeadCall(Second);
        }
        stages.Step(LeadOver - 1, Timeout);
        Assert.Equal((0, long.MaxValue), (edges.Begins, run.Clock.BeginNs));
        stages.Step(LeadOver, Timeout);
        Assert.Equal((1, 0, false, true), (edges.Begins, edges.Ends, stages.IsOver, stages.HasLoad));
        Assert.InRange(run.Clock.BeginNs, run.Clock.StartNs, MonotonicClock.NowNs);
        Assert.All(Connections, connection => Assert.Equal(1, connection.Windows));
        stages.Step(LeadOver, Timeout);
        Assert.Equal(1, edges.Begins);
    }

    [Fact]
    public void The_window_of_an_open_loop_begins_right_after_its_lead()
    {
        Make(Led with { Rate = 10 });
        LeadCall(Second);
        stages.Step(LeadOver - 1, Timeout);
        Assert.Equal(0, edges.Begins);
        stages.Step(LeadOver, Timeout);
        Assert.Equal(1, edges.Begins);
    }

    [Fact]
    public void Slow_streams_delay_the_window_by_at_most_the_timeout()
    {
        Make(Led);
        LeadCall(Second);
        stages.Step(LeadOver + Timeout - 1, Timeout);
        Assert.Equal(0, edges.Begins);
        stages.Step(LeadOver + Timeout, Timeout);
        Assert.Equal((1, false), (edges.Begins, stages.IsUnanswered));
    }

    [Fact]
    public void If_no_call_of_the_lead_succeeds_the_load_ends_without_a_window()
    {
        Make(Led);
        for (var i = 0; i < 4; i++)
            LeadCall(Second, CallResult.Failed("reset"));
        stages.Step(LeadOver, Timeout);
        Assert.Equal((true, true, false, 0, 0), (stages.IsUnanswered, stages.IsOver, stages.HasLoad, edges.Begins, edges.Ends));
        Assert.Equal((LeadOver, LeadOver), (run.Clock.BeginNs, run.Clock.EndNs));
        Assert.InRange(run.Clock.StopNs, run.Clock.StartNs, MonotonicClock.NowNs);
    }

    [Theory]
    [InlineData(0.001, true)]
    [InlineData(60, false)]
    public void A_window_is_at_least_as_long_as_four_median_calls_of_all_threads(double seconds, bool isLonger)
    {
        Make(Led with { Duration = TimeSpan.FromSeconds(seconds), Medians = 4 });
        LeadCall(Second, thread: 0);
        LeadCall(3 * Second, thread: 1);
        LeadCall(3 * Second, thread: 1);
        stages.Step(LeadOver, Timeout);
        Assert.InRange(run.LeadMedianNs!.Value, 3 * Second, 3.01 * Second);
        Assert.Equal(isLonger ? 4 * run.LeadMedianNs.Value : 60 * Second, stages.QuietNs(run.Clock.BeginNs));
        Assert.False(stages.IsOver);
    }

    [Fact]
    public void The_time_until_the_next_step_is_computed_for_each_stage_of_a_window()
    {
        Make(Led);
        Assert.Equal((Second, 1), (stages.QuietNs(run.Clock.StartNs), stages.QuietNs(LeadOver - 1)));
        Assert.InRange(stages.QuietNs(LeadOver), 1, Second / 10); // a call may end at any time
        Make(Timed);
        Assert.Equal(2 * Second - 7, stages.QuietNs(run.Clock.BeginNs + 7));
        RecorderOf(0).RecordStart(run.Clock.BeginNs, run.Clock.BeginNs);
        stages.Cut(0, withLoad: true);
        Assert.InRange(stages.QuietNs(run.Clock.EndNs), 1, Second / 10);
        stages.Cut(0, withLoad: false);
        Assert.Equal(long.MaxValue, stages.QuietNs(run.Clock.EndNs));
        Make(new LoadWindow { Calls = 5 });
        Assert.Equal(long.MaxValue, stages.QuietNs(run.Clock.BeginNs));
        stages.Step(long.MaxValue, Timeout);
        Assert.False(stages.IsOver);
    }

    [Fact]
    public void Load_continues_until_calls_across_the_end_have_ended_or_timed_out()
    {
        foreach (var ends in (bool[])[true, false])
        {
            Make(Timed);
            var begin = run.Clock.StartNs;
            Assert.Equal(begin, run.Clock.BeginNs);
            RecorderOf(1).RecordStart(begin, begin);
            stages.Step(begin + 2 * Second - 1, 100 * Second);
            Assert.False(stages.IsOver);
            stages.Step(begin + 2 * Second, 100 * Second);
            Assert.Equal((true, true, 1), (stages.IsOver, stages.HasLoad, edges.Ends));
            Assert.InRange(run.Clock.EndNs, begin, MonotonicClock.NowNs);
            Assert.Equal(long.MaxValue, run.Clock.StopNs);
            if (ends)
                RecorderOf(1).Record(CallPart.Window, begin, begin, run.Clock.EndNs + 1, CallResult.Ok(1));
            stages.Step(run.Clock.EndNs + 100 * Second - 1, 100 * Second);
            Assert.Equal(!ends, stages.HasLoad);
            stages.Step(run.Clock.EndNs + 100 * Second, 100 * Second);
            Assert.False(stages.HasLoad);
            Assert.InRange(run.Clock.StopNs, run.Clock.EndNs, MonotonicClock.NowNs);
            stages.Finish();
            Assert.Equal(1, edges.Ends);
            edges.Ends = 0;
        }
    }

    [Fact]
    public void If_no_call_is_in_flight_at_the_end_of_a_window_no_load_follows_the_window()
    {
        Make(Timed);
        stages.Step(run.Clock.StartNs + 2 * Second, 100 * Second);
        Assert.Equal((true, false, 1), (stages.IsOver, stages.HasLoad, edges.Ends));
    }

    [Fact]
    public void A_load_that_is_cut_in_the_lead_has_no_window_and_does_not_count_as_unanswered()
    {
        Make(Led);
        stages.Cut(LeadOver - 5, withLoad: true);
        Assert.Equal((false, true, false, 0, 0), (stages.IsUnanswered, stages.IsOver, stages.HasLoad, edges.Begins, edges.Ends));
        Assert.Equal((LeadOver - 5, LeadOver - 5), (run.Clock.BeginNs, run.Clock.EndNs));
    }

    [Theory]
    [InlineData(null, true, true)]
    [InlineData(null, false, false)]
    [InlineData(9L, true, false)] // counted calls have no load after their window
    public void A_window_that_is_cut_ends_at_once_and_load_continues_only_if_requested(long? calls, bool withLoad, bool hasLoad)
    {
        Make(Timed with { Calls = calls });
        RecorderOf(0).RecordStart(run.Clock.BeginNs, run.Clock.BeginNs);
        stages.Cut(0, withLoad);
        Assert.Equal((true, hasLoad, 1), (stages.IsOver, stages.HasLoad, edges.Ends));
        Assert.InRange(run.Clock.EndNs, run.Clock.StartNs, MonotonicClock.NowNs);
        stages.Cut(0, withLoad: true);
        Assert.Equal((hasLoad, 1), (stages.HasLoad, edges.Ends));
        stages.Cut(0, withLoad: false);
        Assert.Equal((false, 1), (stages.HasLoad, edges.Ends));
    }

    [Fact]
    public void A_running_window_ends_when_no_call_is_in_flight()
    {
        Make(new LoadWindow { Calls = 5 });
        stages.Finish();
        Assert.Equal((1, false, true), (edges.Ends, stages.HasLoad, stages.IsOver));
        stages.Finish();
        Assert.Equal(1, edges.Ends);
        Make(Led);
        stages.Finish();
        Assert.Equal((1, false), (edges.Ends, stages.HasLoad));
    }

    private IEnumerable<Idle> Connections => schedulers.SelectMany(scheduler => scheduler.Connections).Cast<Idle>();

    /// <summary>Makes a window on two threads, which have the connections in turn.</summary>
    private void Make(LoadWindow window, int connections = 2, int streams = 2, long? allowed = null)
    {
        schedulers.Clear();
        schedulers.AddRange([new SyncScheduler(), new SyncScheduler()]);
        for (var i = 0; i < connections; i++)
            schedulers[i % 2].Connections.Add(new Idle(streams, allowed));
        run = new WindowRun(window, schedulers);
        stages = new WindowStages(run, schedulers, Timeout, edges);
    }

    private LatencyRecorder RecorderOf(int thread) => schedulers[thread].Recorder;

    /// <summary>Records a call before the window that took <paramref name="ns"/>.</summary>
    private void LeadCall(long ns, CallResult? result = null, int thread = 0)
    {
        var sent = run.Clock.StartNs;
        RecorderOf(thread).Record(RecorderOf(thread).RecordStart(sent, sent), sent, sent, sent + ns, result ?? CallResult.Ok(1));
    }

    private sealed class Edges : IWindowEdges
    {
        public int Begins { get; private set; }

        public int Ends { get; set; }

        public void OnBegin() => Begins++;

        public void OnEnd() => Ends++;
    }

    /// <summary>A connection whose streams are only counted. The test records the calls itself.</summary>
    private sealed class Idle(int streams, long? allowed) : FakeConnection
    {
        public int Windows { get; private set; }

        public override IReadOnlyList<IStream> Streams { get; } = [.. Enumerable.Range(0, streams).Select(_ => new NoStream())];

        public override long? StreamsAllowed => allowed;

        public override void OnWindow() => Windows++;
    }

    private sealed class NoStream : IStream
    {
        public ValueTask<bool> ReadyAsync() => throw new NotSupportedException();

        public ValueTask<CallResult> CallAsync(long sentNs) => throw new NotSupportedException();
    }
}
