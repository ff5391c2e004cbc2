using System.Diagnostics;
using IpcBench.Analysis.Results;
using IpcBench.Client.Cli;
using IpcBench.Client.Plan;
using IpcBench.Client.Terminal;
using IpcBench.Client.Tests.Cli;
using IpcBench.Client.Tests.Run;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Terminal;

public sealed class ExpectedTimeTests
{
    private static long At(double seconds) => 1 + (long)(seconds * Stopwatch.Frequency);

    private static (ExpectedTime Time, BenchPlan Plan) Expected(params string[] arguments) => Expected(["unix"], arguments);

    private static (ExpectedTime Time, BenchPlan Plan) Expected(string[] transports, params string[] arguments)
    {
        var options = Typed.Read(Preset.Main, [.. arguments, "-s", "10,1M", "--warmup", "500ms"]);
        var targets = transports.Select(kind => new Target(
            Address.Parse(kind == "unix" ? "unix:/tmp/a.sock" : "http://localhost:1"), options.Variants[0]));
        var plan = new BenchPlan(options, [.. targets]);
        return (new ExpectedTime(plan), plan);
    }

    // Servers that are started anew for each round, and warmed up, take most of a short round.
    [Fact]
    public void The_time_left_includes_the_planned_time_between_rounds_and_later_the_measured_time()
    {
        var (time, plan) = Expected("-r", "4", "-d", "500ms", "-c", "4");
        Assert.InRange(plan.BetweenRounds.TotalSeconds, 0.5, 20);
        time.RoundStarted(0, At(0));
        Assert.Equal((8 * 1.18) + (3 * plan.BetweenRounds.TotalSeconds), time.Left(At(0))!.Value.TotalSeconds, 1);
        time.Finished(plan.Cells[0], 1, At(1));
        time.RoundStarted(1, At(1)); // a repeated attempt, with the same servers
        time.Finished(plan.Cells[1], 1, At(2));
        time.RoundStarted(0, At(32));
        Assert.Equal(6 + (2 * 30), time.Left(At(32))!.Value.TotalSeconds, 1);
    }

    // The run was interrupted in the first round at the given load, after all rounds at full load.
    [Fact]
    public void A_resumed_run_also_plans_the_rounds_that_are_still_missing_at_given_loads()
    {
        string[] typed = ["-r", "10", "-d", "500ms", "-c", "4", "--load", "50%", "-s", "10", "--warmup", "500ms"];
        var options = Typed.Read(Preset.Main, typed);
        BenchPlan Planned(RunOptions asked) => new(asked, [new Target(Address.Parse("unix:/tmp/a.sock"), asked.Variants[0])]);
        var first = Planned(options);
        var kept = new RunRecord
        {
            ToolVersion = "1",
            Started = DateTimeOffset.UnixEpoch,
            CommandLine = typed,
            Seed = 1,
            Options = new RunOptionsRecord { Rounds = 10, DurationNs = 1, WarmupNs = 0, TimeoutNs = 1, Threads = 1 },
            Host = new HostInfo(),
            Cells = [.. first.Cells.Select(cell => cell.Record)],
            Rounds = [.. Enumerable.Range(1, 10).Select(number => MadeUp.Round(number, first.FirstPhase.Single().Index)),
                MadeUp.Round(1, first.Phases[1].Cells.Single().Index)],
        };
        options = new Resumption("x", kept, 4).Apply(options, options.Output);
        var plan = Planned(options);
        Assert.Equal((4, 13, 17), (plan.FirstRounds, plan.Phases[1].Rounds, plan.Measurements));
        var planned = (17 * 1.18) + (16 * plan.BetweenRounds.TotalSeconds);
        Assert.InRange(plan.Estimate!.Value.TotalSeconds, planned, planned + 20);
        Assert.Contains("4 more rounds of 0.5 s per cell, 13 at given loads, about", string.Join("\n", PlanText.Lines(plan, 80)),
            StringComparison.Ordinal);
        var time = new ExpectedTime(plan);
        time.RoundStarted(0, At(0));
        Assert.Equal(planned, time.Left(At(0))!.Value.TotalSeconds, 1);
    }

    [Theory]
    [InlineData("300", true)]
    [InlineData("300ms", false)]
    public void A_plan_of_hours_shows_how_to_shorten_the_run(string duration, bool hours)
    {
        var options = Typed.Read(Preset.Main, "-r", "12", "-d", duration);
        var plan = new BenchPlan(options, [new Target(Address.Parse("unix:/tmp/a.sock"), options.Variants[0])]);
        Assert.Equal(hours, PlanText.Lines(plan, 80).Contains(
            "for a shorter run: -d 300ms (-d 300 means 300 s) or a smaller -r; Ctrl-C keeps the rounds"));
    }

    [Fact]
    public void The_time_left_of_automatic_rounds_is_limited_by_the_option_max_time()
    {
        var (time, _) = Expected("-r", "auto", "--transports", "tcp,unix", "--max-time", "90s");
        time.RoundStarted(0, At(0));
        Assert.Equal(TimeSpan.FromSeconds(90), time.Left(At(0)));
        Assert.Equal(TimeSpan.FromSeconds(30), time.Left(At(60)));
        Assert.Equal(TimeSpan.Zero, time.Left(At(200)));
    }

    [Fact]
    public void The_time_left_of_counted_calls_is_known_after_the_first_round()
    {
        var (time, plan) = Expected("-r", "3", "-n", "1000");
        time.RoundStarted(0, At(0));
        Assert.Null(time.Left(At(1)));
        time.Finished(plan.Cells[0], 1, At(2));
        Assert.Null(time.Left(At(2)));
        time.Finished(plan.Cells[1], 1, At(5));
        Assert.Equal(10 + (2 * plan.BetweenRounds.TotalSeconds), time.Left(At(5))!.Value.TotalSeconds, 3);
    }
}
