using System.Runtime.Versioning;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Tests.Engine;

public class SchedulerTests
{
    [Fact]
    public async Task The_records_of_a_thread_are_still_readable_after_the_scheduler_is_disposed()
    {
        var scheduler = new PoolScheduler();
        await Task.Run(() => scheduler.Recorder.RecordStart(0, 0), TestContext.Current.CancellationToken)
            .WaitAsync(TimeSpan.FromSeconds(10), TestContext.Current.CancellationToken);
        scheduler.Dispose();
        Assert.Equal(1, Assert.Single(scheduler.Recorders).Started);
    }

    [Fact]
    public async Task The_number_of_calls_can_be_read_from_a_disposed_generator()
    {
        await using var server = new FakeServer("pipe");
        var generator = await TestLoad.OpenAsync(TestLoad.Options(server.Address));
        await TestLoad.RunAsync(generator, new LoadWindow { Calls = 50 });
        await generator.DisposeAsync();
        Assert.Equal(50, generator.CallsSoFar);
    }

    [Fact]
    public async Task Any_exception_of_a_connect_becomes_a_reason_in_one_sentence()
    {
        using var scheduler = new PoolScheduler();
        scheduler.Connections.Add(new Unopenable());
        var options = TestLoad.Options(new Address.Unix("/x"), connections: 1);
        var thrown = await Assert.ThrowsAsync<IOException>(
            () => ConnectionRamp.OpenAsync([scheduler], options, CancellationToken.None).WaitAsync(TimeSpan.FromSeconds(10)));
        Assert.Equal("cannot connect to unix:/x: no process is there any more", thrown.Message);
    }

    [Fact]
    public async Task Timers_of_the_frameworks_threads_are_called_in_order_and_never_early()
    {
        using var scheduler = new PoolScheduler();
        var called = new Calls(20);
        var first = MonotonicClock.NowNs + 5_000_000;
        for (var i = 19; i >= 0; i--)
            scheduler.Schedule(first + 300_000 * i, new Timer(first + 300_000 * i, called));
        await called.All.WaitAsync(TimeSpan.FromSeconds(10), TestContext.Current.CancellationToken);
        Assert.Equal(Enumerable.Range(0, 20).Select(i => first + 300_000L * i), called.Due);
        Assert.All(called.Lateness, late => Assert.True(late >= 0));
    }

    [Fact]
    public void The_method_HurryTimers_calls_each_waiting_timer_once_and_before_its_time()
    {
        using var scheduler = new PoolScheduler();
        var (called, far) = (0, MonotonicClock.NowNs + 3_600_000_000_000);
        for (var i = 0; i < 3; i++)
            scheduler.Schedule(far, new Act(Again));
        scheduler.HurryTimers();
        Assert.Equal(3, called);

        void Again()
        {
            if (called++ < 10)
                scheduler.Schedule(far, new Act(Again)); // stays for the next call of HurryTimers
        }
    }

    [Fact]
    public Task A_timer_on_framework_threads_fires_less_than_a_millisecond_late() => TestLoad.InTheEndAsync(async () =>
    {
        using var scheduler = new PoolScheduler();
        var called = new TaskCompletionSource<long>();
        var due = MonotonicClock.NowNs + 20_000_000;
        scheduler.Schedule(due, new Act(() => called.SetResult(MonotonicClock.NowNs)));
        Assert.InRange(await called.Task.WaitAsync(TestLoad.Patience) - due, 0, 1_000_000);
    });

    [Fact]
    public async Task A_timer_that_disposes_its_own_scheduler_does_not_block()
    {
        var scheduler = new PoolScheduler();
        var ended = new TaskCompletionSource();
        scheduler.Schedule(0, new Act(() =>
        {
            scheduler.Dispose();
            ended.SetResult();
        }));
        await ended.Task.WaitAsync(TestLoad.Patience, TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task A_thread_that_starts_during_a_window_records_calls_in_the_same_window()
    {
        using var scheduler = new PoolScheduler();
        var own = scheduler.Recorder;
        var clock = new WindowClock(0);
        clock.BeginAt(100);
        scheduler.BeginWindow(clock, TestLoad.For(1));
        Assert.Equal(CallPart.Lead, own.RecordStart(50, 50));
        var other = Task.Factory.StartNew(
            () => scheduler.Recorder.RecordStart(50, 50), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        Assert.Equal(CallPart.Lead, await other.WaitAsync(TestLoad.Patience, CancellationToken.None));
        Assert.Equal(2, scheduler.Recorders.Count);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    [SupportedOSPlatform("linux")]
    public async Task A_cancelled_opening_continues_on_the_connections_thread(bool tls)
    {
        Assert.SkipUnless(EventLoop.IsSupported, "the event loop stands on epoll");
        await using var server = new FakeServer("tcp") { Greeting = [] };
        var port = ((Address.Tcp)server.Address).Port;
        var source = await ProtocolTable.ConnectionsAsync(
            TestLoad.Options(tls ? new Address.Tls("127.0.0.1", port) : server.Address), CancellationToken.None);
        using var scheduler = new LoopScheduler(0);
        var (early, elsewhere) = (0, 0);
        for (var i = 0; i < 200; i++)
        {
            using var cancel = new CancellationTokenSource();
            var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            var over = scheduler.RunAsync(async () =>
            {
                var connection = source.Make(scheduler);
                var opening = connection.OpenAsync(cancel.Token);
                early += opening.IsCompleted ? 1 : 0; // nothing would be left to cancel
                begun.SetResult();
                await opening.ContinueWith(
                    _ => elsewhere += scheduler.Loop.IsCurrent ? 0 : 1, CancellationToken.None,
                    TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
                _ = connection.DisposeAsync();
            });
            await begun.Task.WaitAsync(TestLoad.Patience);
            // The cancelling thread may still be notifying the loop when the loop has already seen the cancellation.
            cancel.Cancel();
            await over.WaitAsync(TestLoad.Patience);
        }
        Assert.Equal((0, 0), (early, elsewhere));
    }

    [Theory]
    [InlineData(7, false)]
    [InlineData(8, true)]
    [SupportedOSPlatform("linux")]
    public async Task A_loop_expects_many_calls_in_flight_if_a_connection_has_at_least_8_streams(int streams, bool many)
    {
        Assert.SkipUnless(EventLoop.IsSupported, "the event loop stands on epoll");
        var source = await ProtocolTable.ConnectionsAsync(
            TestLoad.Options(new Address.Tcp("127.0.0.1", 1), streams: streams), CancellationToken.None);
        using var scheduler = new LoopScheduler(0);
        scheduler.Add(source.Make(scheduler));
        Assert.Equal(many, scheduler.Loop.AwaitsMany);
    }

    private sealed class Calls(int expected)
    {
        private readonly TaskCompletionSource all = new();

        public List<long> Due { get; } = [];

        public List<long> Lateness { get; } = [];

        public Task All => all.Task;

        public void Add(long due)
        {
            Due.Add(due);
            Lateness.Add(MonotonicClock.NowNs - due);
            if (Due.Count == expected)
                all.SetResult();
        }
    }

    private sealed class Timer(long due, Calls calls) : ILoopTimer
    {
        public void OnDue() => calls.Add(due);
    }

    private sealed class Act(Action action) : ILoopTimer
    {
        public void OnDue() => action();
    }

    private sealed class Unopenable : IConnection
    {
        public IReadOnlyList<IStream> Streams => [];
        public bool IsOpen => false;
        public int Reopened => 0;
        public long? StreamsAllowed => null;
        public Task OpenAsync(CancellationToken cancellation) => throw new InvalidOperationException("no process is there any more");
        public void CutOff(long sentBeforeNs) => Assert.Fail();
        public void SetAccepting(bool accepting) => Assert.Fail();
        public void Enter() => Assert.Fail();
        public void Leave() => Assert.Fail();
        public ValueTask DisposeAsync() => default;
    }
}
