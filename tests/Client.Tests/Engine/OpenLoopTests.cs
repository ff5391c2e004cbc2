using IpcBench.Analysis.Statistics;
using IpcBench.Client.Engine;
using IpcBench.Client.Tests.Engine.Support;

namespace IpcBench.Client.Tests.Engine;

public class OpenLoopTests
{
    private static WindowClock Endless => new(0);

    [Theory]
    [InlineData("unix", false)]
    [InlineData("unix", true)]
    [InlineData("pipe", false)]
    public Task An_open_loop_keeps_its_rate_and_latency_includes_late_sends(string kind, bool poisson) => TestLoad.InTheEndAsync(async () =>
    {
        await using var server = new FakeServer(kind);
        var window = new LoadWindow { Duration = TimeSpan.FromSeconds(1), Rate = 100, Poisson = poisson, Seed = 7 };
        var result = await TestLoad.MeasureAsync(TestLoad.Options(server.Address, connections: 5), window);
        var due = 100 * (result.WindowNs / 1e9);
        Assert.InRange(result.Started, 0.8 * due, poisson ? 1.3 * due : due + 1); // fewer when the machine stalls just before the end
        Assert.Equal(result.Started, result.Ok);
        Assert.Equal(result.Ok, result.ServiceTime!.Count);
        Assert.Equal(result.Ok, result.SendLateness!.Count);
        Assert.InRange(Math.Abs(result.Latency.Sum - result.ServiceTime.Sum - result.SendLateness.Sum), 0, result.Ok);
    });

    [Fact]
    public Task A_server_that_is_slower_than_the_rate_causes_long_latencies_and_unsent_calls() => TestLoad.InTheEndAsync(async () =>
    {
        await using var server = new FakeServer { Delay = TimeSpan.FromMilliseconds(100) };
        var window = new LoadWindow { Duration = TimeSpan.FromSeconds(1), Rate = 200 };
        var result = await TestLoad.MeasureAsync(TestLoad.Options(server.Address, connections: 2), window);
        Assert.InRange(result.Started, 2, 22 * result.WindowNs / 1e9); // two streams of at most ten calls a second each
        Assert.InRange(result.ServiceTime!.Sum / result.Ok, 95_000_000, 1_000_000_000);
        Assert.True(result.Latency.Sum > 2 * result.ServiceTime.Sum, "the calls waited for a stream, and that must be seen");
        // All calls that were due, sent or unsent.
        var due = (long)Math.Ceiling(200 * (result.WindowNs / 1e9));
        Assert.Equal((due, due), (result.Started + result.NotSent, result.Started + result.NotSentLatency.Count));
        var all = result.Latency.ToCounts().WithBounds(result.NotSentLatency.ToCounts());
        Assert.True(all.IsBoundAt(50), $"{all.At(50)}");
    });

    [Fact]
    public async Task No_call_is_unsent_if_a_stream_is_free_for_each_call()
    {
        await using var server = new FakeServer();
        var result = await TestLoad.MeasureAsync(
            TestLoad.Options(server.Address, connections: 5), new LoadWindow { Calls = 50, Rate = 1000 });
        Assert.Equal((50, 0, 0), (result.Started, result.NotSent, result.NotSentLatency.Count));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void An_unsent_call_is_recorded_with_the_wait_from_its_due_time_to_the_windows_end(bool poisson)
    {
        Pacer pacer = poisson ? new PoissonPacer(Endless, null, 1000, 7) : new ConstantPacer(Endless, null, 1000);
        Pacer same = poisson ? new PoissonPacer(Endless, null, 1000, 7) : new ConstantPacer(Endless, null, 1000);
        var claimed = Enumerable.Range(0, 10).Select(_ => pacer.Claim(0)).ToList();
        var unsent = new UnsentCalls(0, 1_000_000_000, long.MaxValue);
        unsent.AddClaimed([claimed[9], 1_000_000_000, 2_000_000_000]); // the last two are due at the end and after it
        unsent.AddUnclaimed(pacer, 1000);
        var waits = new LatencyHistogram();
        for (long number = 0, due = same.Claim(0); due < 1_000_000_000; due = same.Claim(0))
        {
            if (number++ >= 9)
                waits.Record(1_000_000_000 - due);
        }
        Assert.Equal((waits.Count, waits.Sum), (unsent.Waits.Count, unsent.Waits.Sum));
        Assert.Equal(waits.Encode(), unsent.Waits.Encode());
    }

    [Fact]
    public void Billions_of_unsent_calls_are_counted_in_groups()
    {
        var unsent = new UnsentCalls(0, 10_000_000_000, long.MaxValue);
        unsent.AddUnclaimed(new ConstantPacer(Endless, null, 1e9), 1e9);
        Assert.Equal(10_000_000_000, unsent.Waits.Count);
        Assert.InRange(unsent.Waits.ToCounts().ValueAt(50), 4_990_000_000, 5_010_000_000);
        var few = new UnsentCalls(0, 10_000_000_000, 7);
        few.AddUnclaimed(new ConstantPacer(Endless, null, 1e9), 1e9);
        Assert.Equal(7, few.Waits.Count);
    }

    [Fact]
    public async Task A_slow_schedule_does_not_delay_the_end_of_a_cancelled_run()
    {
        await using var server = new FakeServer();
        await using var generator = await TestLoad.OpenAsync(TestLoad.Options(server.Address));
        using var cancel = new CancellationTokenSource();
        var running = TestLoad.RunAsync(generator, new LoadWindow { Duration = TimeSpan.FromMinutes(10), Rate = 0.01 }, cancel.Token);
        await TestLoad.UntilAsync(() => server.Calls == 1);
        await cancel.CancelAsync();
        Assert.Equal(1, (await running).Started);
    }

    [Theory]
    [InlineData(0, 1000, 0)]
    [InlineData(1, 1000, 1_000_000)]
    [InlineData(3, 3, 1_000_000_000)]
    [InlineData(1_000_000_000, 30_000, 33_333_333_333_333)]
    public void Constant_start_times_are_computed_from_the_number_of_the_call(long number, double perSecond, long offset)
    {
        Assert.Equal(offset, ConstantPacer.OffsetNs(number, perSecond));
        Assert.Equal(5, new ConstantPacer(new WindowClock(5), null, perSecond).Claim(999));
    }

    [Theory]
    [InlineData(1.0, 1000, 0)]
    [InlineData(0.36787944117144233, 1000, 1_000_000)]
    [InlineData(0.5, 1, 693_147_180.55994)]
    public void Poisson_gaps_are_exponential(double uniform, double perSecond, double gap) =>
        Assert.Equal(gap, PoissonPacer.GapNs(uniform, perSecond), 0.001);

    [Fact]
    public void Poisson_start_times_have_the_expected_rate_and_variance_and_repeat_with_the_seed()
    {
        const int Count = 100_000;
        Pacer pacer = new PoissonPacer(Endless, null, 1000, 42), same = new PoissonPacer(Endless, null, 1000, 42);
        var other = new PoissonPacer(Endless, null, 1000, 43);
        var starts = Enumerable.Range(0, Count).Select(_ => pacer.Claim(0)).ToList();
        Assert.Equal(starts.Take(100), Enumerable.Range(0, 100).Select(_ => same.Claim(0)));
        Assert.NotEqual(starts[0], other.Claim(0));
        var gaps = starts.Skip(1).Zip(starts, (later, earlier) => (double)(later - earlier)).ToList();
        Assert.InRange(gaps.Average(), 0.98e6, 1.02e6);
        var deviation = Math.Sqrt(gaps.Average(gap => (gap - 1e6) * (gap - 1e6)));
        Assert.InRange(deviation, 0.97e6, 1.03e6); // as large as the mean, unlike that of constant gaps
    }

    [Fact]
    public void Pseudorandom_numbers_equal_those_of_the_reference_code()
    {
        // The output of splitmix64.c by Sebastiano Vigna (prng.di.unimi.it) for this seed.
        var random = new SplitMix64(1_234_567);
        ulong[] numbers =
            [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821];
        Assert.Equal(numbers, numbers.Select(_ => random.Next()));
        Assert.Equal((numbers[0] / 2048 + 1) / 9007199254740992.0, new SplitMix64(1_234_567).NextUniform());
    }

    [Theory]
    [InlineData(99, 50, true)]
    [InlineData(50, 99, true)]
    [InlineData(100, 50, false)]
    [InlineData(50, 100, false)]
    public void No_call_starts_at_or_after_the_end(long intended, long now, bool may)
    {
        var clock = new WindowClock(0);
        clock.StopAt(100);
        Assert.Equal(may, new DueAt(clock, null, intended).Next(now, out _));
        Assert.Equal(may, new DueAt(clock, 10, intended).Next(now, out _));
        clock.StopAt(10);
        clock.StopAt(60);
        Assert.Equal(10, clock.StopNs);
        Assert.False(new DueAt(clock, null, intended).Next(now, out _));
    }

    [Fact]
    public void Each_counted_call_is_claimed_once()
    {
        var pacer = new DueAt(Endless, 1000, 0);
        var claimed = 0;
        Parallel.For(0, 5000, _ => { if (pacer.Next(0, out _)) Interlocked.Increment(ref claimed); });
        Assert.Equal(1000, claimed);
    }

    /// <summary>Every call is due at the same time.</summary>
    private sealed class DueAt(WindowClock clock, long? calls, long dueNs) : Pacer(clock, calls)
    {
        public override long Claim(long nowNs) => dueNs;
    }
}
