using System.Diagnostics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Client.Cli;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Client.Tests.Cli;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Run;

/// <summary>Checks compared cells that take turns on open connections, against real servers.</summary>
public class SlicesTests
{
    private const string Two = "--transports tcp,unix -s 10 -c 6 -t 2 --slice 20ms --warmup 50ms --seed 7 -d ";

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_round_is_the_sum_of_its_slices_in_the_order_of_their_blocks()
    {
        var options = Typed.Read(Preset.Main, (Two + "400ms").Split(' '));
        await using var servers = await Typed.ServersAsync(options);
        var (runner, plan) = Runner(servers, options);
        var cells = Assert.Single(plan.Turns(plan.Cells, 1));
        List<Measurement> rounds = [];
        var number = 0;
        await TestLoad.InTheEndAsync(async () =>
        {
            rounds = [.. (await runner.MeasureInTurnsAsync(cells, ++number, 0, Token)).Select(measured => measured.Round)];
            Assert.All(rounds, round =>
            {
                // On a busy machine, a thread may not run in any slice.
                Assert.Equal(6, round.Connections.Active);
                // Slices are about equally long, unless the machine stalls in a slice.
                Assert.InRange(round.Slices!.Rates.Average() / (round.Credited!.Value / (round.WindowNs / 1e9)), 0.3, 3);
            });
        });

        Assert.Equal([0, 1], rounds.Select(round => round.Cell).Order());
        var count = rounds[0].Slices!.Rates.Count;
        Assert.InRange(count, 1, 20); // calls above 4 ms make slices longer and fewer
        foreach (var round in rounds)
        {
            var slices = round.Slices!;
            Assert.InRange(slices.PlannedSeconds, 0.02, 0.4);
            Assert.Equal((count, count), (slices.Rates.Count, slices.Order.Count));
            Assert.Equal((count, count), (slices.ClientCpuNs?.Count ?? count, slices.ServerCpuNs?.Count ?? count));
            Assert.Equal(OperatingSystem.IsLinux(), slices.ClientCpuNs is not null && slices.ServerCpuNs is not null);
            Assert.Equal(round.Started, round.Ok + round.Failed.Values.Sum() + round.CutOff);
            Assert.Equal(round.Ok, LatencyCounts.Decode(round.Latency).Count);
            Assert.Equal(round.Completed, round.Buckets.Sum());
            Assert.Equal(6, round.Connections.Opened);
            Assert.Equal(6, round.Connections.ServerOpen);
            Assert.Equal(round.Connections.ClientCalls, round.Connections.ServerCalls);
            Assert.True(round.Connections.ServerCalls > 0);
            Assert.InRange(round.WindowNs / 1e9, count * slices.PlannedSeconds, 30);
            Assert.InRange(round.Client.Calls, round.Credited!.Value - 1, round.Credited.Value + 1);
            Assert.True(round.Server!.CpuUserNs + round.Server.CpuKernelNs > 0);
        }
        Assert.All(rounds[0].Slices!.Order.Zip(rounds[1].Slices!.Order), places => Assert.Equal(1, places.First + places.Second));
    }

    [Fact]
    public async Task Each_round_chooses_the_length_of_its_slices_from_its_own_calls()
    {
        var options = Typed.Read(Preset.Main, (Two + "400ms").Split(' '));
        await using var servers = await Typed.ServersAsync(options);
        var (runner, plan) = Runner(servers, options);
        var slow = plan.Cells.Select(cell => cell with { Load = cell.Load with { Size = 5_000_000 } }).ToList();
        async Task<double> LengthAsync(IReadOnlyList<PlannedCell> cells, int number) =>
            (await runner.MeasureInTurnsAsync(cells, number, 0, Token))[0].Round.Slices!.PlannedSeconds;
        var ofSlowCalls = await LengthAsync(slow, 1);
        // A busy machine can make the calls of one round slow, too. Later rounds then have shorter slices, unless the first
        // round chose for all.
        var (length, round) = (ofSlowCalls, 1);
        while (length > ofSlowCalls * 0.99 && round < 10)
            length = await LengthAsync(plan.Cells, ++round);
        Assert.InRange(length, 0.02, ofSlowCalls * 0.99);
    }

    [Fact]
    public async Task Slices_are_longer_than_usual_if_a_call_takes_longer_than_the_warm_up()
    {
        var options = Typed.Read(Preset.Main, (Two.Replace("-c 6 -t 2", "-c 1") + "500ms --work 50ms").Split(' '));
        await using var servers = await Typed.ServersAsync(options);
        var (runner, plan) = Runner(servers, options);
        var rounds = await runner.MeasureInTurnsAsync(plan.Cells, 1, 0, Token);
        Assert.Equal(2, rounds.Count);
        Assert.All(rounds, measured => Assert.InRange(measured.Round.Slices!.PlannedSeconds, 0.1, 10));
    }

    [Fact]
    public async Task Failed_calls_do_not_lengthen_the_slices()
    {
        await using var first = new FakeServer { Hears = Failing };
        await using var second = new FakeServer { Hears = Failing };
        var options = Typed.Read(Preset.Main,
            $"-U {first.Address} -U {second.Address} -s 10 -c 2 -t 1 --slice 20ms --warmup 500ms -d 400ms".Split(' '));
        await using var servers = await Typed.ServersAsync(options);
        var (runner, plan) = Runner(servers, options);
        var number = 0;
        // A call that outlasts the warm-up lengthens the slices. So the machine must not stall during the warm-up.
        await TestLoad.InTheEndAsync(async () =>
        {
            var rounds = await runner.MeasureInTurnsAsync(plan.Cells, ++number, 0, Token);
            Assert.Equal(2, rounds.Count);
            Assert.All(rounds, measured => Assert.Equal((0, 0.02), (measured.Round.Ok, measured.Round.Slices!.PlannedSeconds)));
        });

        static byte[] Failing(Heard heard) =>
            heard.Ends ? Frames.Headers(heard.Stream, true, (":status", "200"), ("grpc-status", "13")) : [];
    }

    [Fact]
    public async Task Measurements_of_an_interrupted_round_are_kept()
    {
        var options = Typed.Read(Preset.Main, (Two + "60s").Split(' '));
        await using var servers = await Typed.ServersAsync(options);
        using var source = CancellationTokenSource.CreateLinkedTokenSource(Token);
        var progress = new RunProgress();
        var (runner, plan) = Runner(servers, options, progress);
        var measuring = runner.MeasureInTurnsAsync(plan.Cells, 1, 0, source.Token);
        await SlicesAsync(progress);
        await source.CancelAsync();
        var rounds = await measuring.WaitAsync(TestLoad.Patience, Token);
        Assert.Equal([0, 1], rounds.Select(measured => measured.Round.Cell).Order());
        Assert.All(rounds, measured => Assert.True(measured.Round.Ok > 0 && measured.ServerLost is null));
        Assert.Null(progress.Current);
    }

    [Fact]
    public async Task A_server_that_ends_in_a_slice_is_reported_and_its_measurements_are_kept()
    {
        var options = Typed.Read(Preset.Main, (Two + "60s").Split(' '));
        await using var servers = await Typed.ServersAsync(options);
        var progress = new RunProgress();
        var (runner, plan) = Runner(servers, options, progress);
        var measuring = runner.MeasureInTurnsAsync(plan.Cells, 1, 0, Token);
        await SlicesAsync(progress);
        var server = Assert.Single(servers.Owners.Values.SelectMany(owner => owner.Pids).Distinct());
        using (var process = Process.GetProcessById(server))
            process.Kill();
        var rounds = await measuring.WaitAsync(TestLoad.Patience, Token);
        Assert.Equal(2, rounds.Count);
        Assert.All(rounds, measured => Assert.Contains("is gone", measured.ServerLost, StringComparison.Ordinal));
        Assert.All(rounds, measured => Assert.True(measured.Round.Ok > 0));
    }

    // Waits until each arm has measured several slices: only one arm at a time has calls, so when another arm has calls, the slice is
    // over. On a busy machine, no call may begin in a single slice. The calls of the warm-up do not count.
    private static async Task SlicesAsync(RunProgress progress)
    {
        await TestLoad.UntilAsync(() => progress.Current is { What: "measuring" });
        var arms = progress.Current!.Generators;
        foreach (var arm in Enumerable.Repeat(arms, 3).SelectMany(turn => turn))
        {
            var before = arm.CallsSoFar;
            await TestLoad.UntilAsync(() => arm.CallsSoFar > before);
        }
    }

    [Theory]
    [InlineData("--transports tcp,unix", true)]
    [InlineData("--transports tcp,unix --slice 0", false)]
    [InlineData("--transports tcp,unix -n 1000", false)]
    [InlineData("--transports tcp,unix -R 1k", false)]
    [InlineData("--transports tcp,unix --connect-per-call", false)]
    [InlineData("--transports tcp,unix --mode push", false)]
    [InlineData("--transports tcp,unix --mode ping-pong", true)]
    [InlineData("--transports tcp", false)]
    [InlineData("-U http://localhost:1 -U unix:/x", true)]
    public void Only_options_that_allow_slices_let_the_compared_cells_take_turns(string typed, bool inTurns)
    {
        var options = Typed.Read(Preset.Main, $"-s 10 -c 2 {typed}".Split(' '));
        var addresses = options.OwnServer ? options.Transports.Select(kind => Address.Own[kind]("x")) : options.Addresses;
        var plan = new BenchPlan(options, [.. addresses.Select(address => new Target(address, options.Variants[0]))]);
        Assert.Equal(inTurns, plan.Turns(plan.Cells, 1) is [{ Count: 2 }]);
        Assert.Equal(inTurns, plan.HasSlices);
    }

    [Theory]
    [InlineData(1, 50, 20)]     // the requested length
    [InlineData(11, 55.56, 18)] // 5 calls, and all of the time is used
    [InlineData(150, 1000, 1)]
    [InlineData(300, 1500, 1)]  // longer than the planned round
    public void A_slice_holds_at_least_five_calls(double callMs, double sliceMs, int count)
    {
        var options = Typed.Read(Preset.Main) with { Duration = TimeSpan.FromSeconds(1) };
        var length = SliceLength.For(options, (long)(callMs * 1e6));
        Assert.Equal((sliceMs, count), (Math.Round(length.Slice.TotalMilliseconds, 2), length.Count));
        // A given length is kept.
        Assert.True(SliceLength.For(options with { FixedDuration = true }, (long)(callMs * 1e6)).Slice <= options.Duration);
    }

    private static (RoundRunner Runner, BenchPlan Plan) Runner(
        ServerSet servers, RunOptions options, RunProgress? progress = null)
    {
        var plan = new BenchPlan(options, servers.Targets);
        return (new RoundRunner(plan.Options, servers, progress ?? new RunProgress()), plan);
    }
}
