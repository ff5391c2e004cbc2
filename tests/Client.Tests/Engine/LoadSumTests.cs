using IpcBench.Client.Engine;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Tests.Engine;

/// <summary>Checks that the slices of one load add up to one window.</summary>
public class LoadSumTests
{
    [Fact]
    public async Task The_sum_of_slices_has_the_counts_and_latencies_and_buckets_of_one_long_window()
    {
        await using var server = new FakeServer();
        await using var generator = await TestLoad.OpenAsync(TestLoad.Options(server.Address, connections: 3));
        var sum = new LoadSum();
        var (ok, credited, window, calls) = (0L, 0.0, 0L, new long[3]);
        // On a busy machine a connection may have no call in seven short slices.
        for (var i = 0; i < 7 || (i < 500 && calls.Contains(0L)); i++)
        {
            var slice = await TestLoad.RunAsync(generator, Slice(0.03, isContinued: i > 0));
            Assert.Equal(i == 0, slice.LeadMedianNs is not null);
            (ok, credited, window) = (ok + slice.Ok, credited + slice.Credited, window + slice.WindowNs);
            calls = [.. calls.Zip(slice.CallsByConnection, (before, now) => before + now)];
            sum.Add(slice);
        }
        var all = sum.Result!;
        Assert.Equal((ok, ok, window), (all.Ok, all.Latency.Count, all.WindowNs));
        Assert.Equal(credited, all.Credited, 1e-6 * credited);
        Assert.Equal(all.Started, all.Ok + all.Failed.Values.Sum() + all.CutOff);
        Assert.Equal(all.Completed, all.Buckets.Sum());
        Assert.Equal((window + 99_999_999) / 100_000_000, all.Buckets.Count);
        Assert.Equal(calls, all.CallsByConnection);
        Assert.Equal((calls.Min(), calls.Max(), 3), (all.Connections.FewestCalls, all.Connections.MostCalls, all.Connections.Active));
        Assert.Equal(all.Ok, all.ThreadCalls.Sum());
    }

    [Fact]
    public async Task The_calls_of_each_thread_are_added_although_a_thread_has_none_in_a_slice()
    {
        await using var server = new FakeServer();
        await using var generator = await TestLoad.OpenAsync(TestLoad.Options(server.Address));
        var (slice, sum) = (await TestLoad.RunAsync(generator, Slice(0.03, isContinued: false)), new LoadSum());
        sum.Add(slice with { ThreadCalls = [5, 0, 7] });
        sum.Add(slice with { ThreadCalls = [0, 3, 1] });
        Assert.Equal([5, 3, 8], sum.Result!.ThreadCalls);
        if (EventLoop.IsSupported) // elsewhere the threads are those of the pool
            Assert.Equal(TestLoad.Options(server.Address).Threads, slice.ThreadCalls.Count);
    }

    [Fact]
    public Task Slices_and_one_window_give_the_same_rate_for_calls_of_a_known_length() => TestLoad.InTheEndAsync(async () =>
    {
        // The load before a slice lasts as long as a call, so a thread that a busy machine starts late has calls when the slice begins.
        await using var server = new FakeServer { Delay = TimeSpan.FromMilliseconds(35) };
        await using var generator = await TestLoad.OpenAsync(TestLoad.Options(server.Address));
        var window = await TestLoad.RunAsync(generator, Slice(0.7, isContinued: false));
        var sum = new LoadSum();
        for (var i = 0; i < 3; i++)
            sum.Add(await TestLoad.RunAsync(generator, Slice(0.25, isContinued: true)));
        // The comparison uses the actual length of the calls, because the server's timer is late on a busy machine.
        // No credit for calls across edges would cost a tenth.
        Assert.InRange(Busy(sum.Result!) / Busy(window), 0.95, 1.01);
    });

    [Fact]
    public Task Connections_without_load_make_no_system_calls() => TestLoad.InTheEndAsync(async () =>
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "there is no epoll here");
        await using var server = new FakeServer();
        await using var idle = await TestLoad.OpenAsync(TestLoad.Options(server.Address, connections: 40));
        await using var busy = await TestLoad.OpenAsync(TestLoad.Options(server.Address));
        await TestLoad.RunAsync(idle, Slice(0.02, isContinued: false));
        // Each of the two idle threads falls asleep a moment after its own load. The busy load of 0.1 s is longer than that moment.
        await TestLoad.RunAsync(busy, Slice(0.1, isContinued: false));
        var before = idle.SystemCalls!.Value;
        for (var i = 0; i < 10; i++)
            await TestLoad.RunAsync(busy, Slice(0.02, isContinued: true));
        Assert.Equal(before, idle.SystemCalls!.Value);
    });

    /// <summary>Returns the mean number of calls in flight (Little's law): four when the edges cost nothing.</summary>
    private static double Busy(LoadResult result) =>
        result.Credited / result.WindowNs * (result.Latency.Sum / (double)result.Ok);

    private static LoadWindow Slice(double seconds, bool isContinued) => new()
    {
        Lead = TimeSpan.FromMilliseconds(10),
        Duration = TimeSpan.FromSeconds(seconds),
        IsContinued = isContinued,
    };
}
