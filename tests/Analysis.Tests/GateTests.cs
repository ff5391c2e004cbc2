using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using static IpcBench.Analysis.Tests.ComparedFiles;

namespace IpcBench.Analysis.Tests;

/// <summary>Checks the outcomes of <c>--fail-on</c> for two files: passed, crossed or undecided.</summary>
public sealed class GateTests
{
    [Fact]
    public void A_limit_is_crossed_only_if_the_interval_of_enough_rounds_lies_wholly_beyond_the_limit()
    {
        var limits = new[] { GateLimit.Parse("rps<-5%") };
        Assert.Equal(6, Gate.Check(Compared(Before(), After(speed: 0.7)), limits).Crossed
            .Count(sentence => sentence.Contains("requests/s", StringComparison.Ordinal)));
        Assert.Empty(Gate.Check(Compared(Before(), After(speed: 0.95)), limits).Crossed);
        Assert.Empty(Gate.Check(Compared(Before(), After(speed: 1.3)), limits).Crossed);
        var few = Gate.Check(Compared(Before(rounds: 3), After(speed: 0.5, rounds: 3)), limits);
        Assert.Empty(few.Crossed);
        Assert.Equal("rps<-5% for tcp, 10 B: undecided: at least 5 rounds in both files are needed, not 3", few.NotExcluded[0]);
    }

    [Fact]
    public void The_gate_passes_or_fails_or_is_undecided_and_then_states_the_detectable_change()
    {
        double[] steady = [1000, 1001, 1002, 1003, 1004, 1005, 1006], wide = [600, 650, 700, 800, 900, 1000, 1030];
        Gate Of(double[] after) =>
            Gate.Check(Compared(Simulated.Run([steady]), Simulated.Run([after])), [GateLimit.Parse("rps<-5%")]);

        Assert.Equivalent(new Gate(1, [], [], []), Of(steady), strict: true);
        var open = Of(wide);
        Assert.Equal((0, 0), (open.Passed, open.Crossed.Count));
        Assert.Matches(@"requests/s changed by −20 % \[.*\]; these files could show only a change of −\d\d % or more",
            Assert.Single(open.NotExcluded));
        Assert.False(open.Fails(strict: false));
        Assert.True(open.Fails(strict: true));
        Assert.Single(Of([.. steady.Select(rate => rate / 2)]).Crossed);
    }

    [Fact]
    public void A_change_just_beyond_the_detectable_change_of_the_message_crosses_the_limit()
    {
        double[] before = [990, 995, 1000, 1005, 1010, 1015, 1020], after = [940, 950, 960, 970, 980, 990, 1000];
        var limit = GateLimit.Parse("rps<-5%");
        FileComparison By(double factor) =>
            Compared(Simulated.Run([before]), Simulated.Run([[.. after.Select(rate => rate * factor)]]));
        var estimate = Estimate(By(1));
        var shown = limit.Shown(estimate.Ratio, estimate.Interval!.Value);
        Assert.True(limit.IsCrossed(Estimate(By(shown / estimate.Ratio * 0.999))));
        Assert.False(limit.IsCrossed(Estimate(By(shown / estimate.Ratio * 1.001))));

        static Statistics.RatioEstimate Estimate(FileComparison files) =>
            files.Estimate(files.Cells[0].Before, files.Cells[0].After, Metric.Rate)!;
    }

    [Fact]
    public void A_missing_cell_and_a_run_that_ended_early_fail_the_gate()
    {
        var limits = new[] { GateLimit.Parse("rps<-5%") };
        var fewer = After() with { };
        fewer = fewer with { Rounds = [.. fewer.Rounds.Where(round => round.Cell != 0)] };
        var missing = Gate.Check(Compared(Before(), fewer), limits);
        Assert.Equal("tcp, 10 B is only in base", Assert.Single(missing.Missing));
        Assert.True(missing.Fails(strict: false));
        var early = Gate.Check(Compared(Before(), After() with { Ending = "interrupted" }), limits);
        Assert.Equal("new is not complete (interrupted)", Assert.Single(early.Missing));
        Assert.True(early.Fails(strict: false));
    }

    [Fact]
    public void The_JSON_comparison_has_the_outcomes_of_the_gate()
    {
        var files = Compared(Before(), After(speed: 0.6));
        var json = System.Text.Json.JsonDocument.Parse(CompareJson.Make([files], [Gate.Check(files, [GateLimit.Parse("rps<-5%")])]));
        var one = json.RootElement.GetProperty("comparisons")[0];
        Assert.Equal(6, one.GetProperty("cells").GetArrayLength());
        Assert.Equal(6, one.GetProperty("gate").GetProperty("crossed").GetArrayLength());
        var rate = one.GetProperty("cells")[0].GetProperty("metrics")[0];
        Assert.Equal(("rps", "lower"), (rate.GetProperty("metric").GetString(), rate.GetProperty("verdict").GetString()));
        Assert.InRange(rate.GetProperty("ratio").GetDouble(), rate.GetProperty("low").GetDouble(), rate.GetProperty("high").GetDouble());
        var plain = System.Text.Json.JsonDocument.Parse(CompareJson.Make([files], []));
        Assert.False(plain.RootElement.GetProperty("comparisons")[0].TryGetProperty("gate", out _));
    }

    [Fact]
    public void Cells_that_differ_only_in_work_or_concurrency_are_distinguished()
    {
        var sample = Before();
        RunRecord With(RunRecord run, Func<CellKey, int, CellKey> change) =>
            run with { Cells = [.. run.Cells.Select((cell, i) => cell with { Key = change(cell.Key with { Size = 10 }, i / 3) })] };
        var worked = With(sample, (key, i) => key with { Variant = i == 0 ? "work=10us" : "work=1ms" });
        var cells = System.Text.Json.JsonDocument.Parse(CompareJson.Make([Compared(worked, worked)], [])).RootElement
            .GetProperty("comparisons")[0].GetProperty("cells").EnumerateArray()
            .Select(cell => (cell.GetProperty("arm").GetString(), cell.GetProperty("variant").GetString())).ToList();
        Assert.Equal(6, cells.Distinct().Count());

        var many = With(sample, (key, i) => key with { Connections = i == 0 ? 400 : 1 });
        var fewer = many with { Rounds = [.. many.Rounds.Where(round => round.Cell != 3)] };
        var missing = Gate.Check(Compared(many, fewer), [GateLimit.Parse("rps<-5%")]).Missing;
        Assert.Equal("tcp, one call at a time, 10 B is only in base", Assert.Single(missing));
    }

    [Fact]
    public void A_slower_run_crosses_limits_on_a_rise_of_CPU_or_latency_and_no_limit_on_a_fall()
    {
        var comparison = Compared(Before(), After(speed: 0.6));
        Assert.NotEmpty(Gate.Check(comparison, [GateLimit.Parse("client_cpu>5%")]).Crossed);
        Assert.NotEmpty(Gate.Check(comparison, [GateLimit.Parse("p50>10%")]).Crossed);
        Assert.Empty(Gate.Check(comparison, [GateLimit.Parse("server_cpu<-5%")]).Crossed);
        var empty = After() with { Cells = [], Rounds = [] };
        Assert.NotEmpty(Gate.Check(Compared(Before(), empty), [GateLimit.Parse("rps<-5%")]).Missing);
    }

    /// <summary>Changes the first <paramref name="rounds"/> rounds of the first cell.</summary>
    private static RunRecord With(RunRecord run, Func<Measurement, Measurement> change, int rounds) =>
        run with { Rounds = [.. run.Rounds.Select(round => round.Cell == 0 && round.Number <= rounds ? change(round) : round)] };

    private static Measurement Fails(Measurement round) => round with { Failed = new Dictionary<string, long> { ["status 13"] = 3 } };

    [Fact]
    public void Failed_calls_cross_every_limit_if_no_call_failed_before()
    {
        var (none, one) = (Before(), With(After(), Fails, 1));
        foreach (var limit in new[] { "failed>0%", "failed>500%", "p99>10%" })
            Assert.Contains(Gate.Check(Compared(none, one), [GateLimit.Parse(limit)]).Crossed,
                sentence => sentence.Contains("3 calls failed", StringComparison.Ordinal));
        Assert.Equal(
            [
                "tcp, 10 B: 3 calls failed or were cut off, none before",
                "failed>0% for tcp, 10 B: failed was 0 in all 7 rounds of base, and is not 0 in 1 of 7 rounds of new",
            ],
            Gate.Check(Compared(none, one), [GateLimit.Parse("failed>0%")]).Crossed);
    }

    [Fact]
    public void More_than_twice_as_many_failed_calls_cross_every_limit_if_the_rise_is_significant()
    {
        var limits = new[] { GateLimit.Parse("p99>1000%") };
        RunRecord Failing(RunRecord run, int rounds, int calls) => With(run, round => round with
        {
            Started = round.Started + calls,
            Failed = new Dictionary<string, long> { ["status 14"] = calls },
        }, rounds);
        Assert.Matches(@"^tcp, 10 B: 210000 of \d+ calls failed or were cut off, 3 of \d+ before$",
            Assert.Single(Crossed(Failing(Before(), rounds: 1, calls: 3), Failing(After(), rounds: 7, calls: 30_000))));
        // Twice as many in few rounds can be chance, and a little more in all rounds is not twice as many.
        Assert.Empty(Crossed(Failing(Before(), rounds: 1, calls: 3), Failing(After(), rounds: 3, calls: 3)));
        Assert.Empty(Crossed(Failing(Before(), rounds: 7, calls: 30_000), Failing(After(), rounds: 7, calls: 40_000)));

        IReadOnlyList<string> Crossed(RunRecord before, RunRecord after) => Gate.Check(Compared(before, after), limits).Crossed;
    }

    [Fact]
    public void A_limit_on_failures_passes_if_no_call_failed_in_the_new_run()
    {
        var (none, limits) = (Before(), new[] { GateLimit.Parse("failed>0%") });
        Assert.Equivalent(new Gate(6, [], [], []), Gate.Check(Compared(none, After()), limits), strict: true);
        Assert.Equivalent(new Gate(6, [], [], []), Gate.Check(Compared(With(none, Fails, 7), After()), limits), strict: true);
    }

    [Fact]
    public void A_metric_that_was_0_crosses_its_limit_only_if_every_new_round_is_above_0()
    {
        static Measurement Collects(Measurement round) => round with { Client = round.Client with { GcCollections = [4, 0, 0] } };
        static Measurement Quiet(Measurement round) => round with { Client = round.Client with { GcCollections = [0, 0, 0] } };
        var (none, now, limits) = (With(Before(), Quiet, 7), With(After(), Quiet, 7), new[] { GateLimit.Parse("client_gc>10%") });
        const string Rose = "client_gc>10% for tcp, 10 B: client collections was 0 in all 7 rounds of base, and is not 0 in ";
        Gate Collecting(int rounds) => Gate.Check(Compared(none, With(now, Collects, rounds)), limits);

        Assert.Equal(Rose + "7 of 7 rounds of new", Assert.Single(Collecting(7).Crossed));
        Assert.Empty(Collecting(2).Crossed);
        Assert.Equal(Rose + "2 of 7 rounds of new", Assert.Single(Collecting(2).NotExcluded));
        // Some rounds were already 0 before, and so have no ratio.
        Assert.Equal("client_gc>10% for tcp, 10 B: undecided: 4 rounds have a value of 0 and so no ratio",
            Assert.Single(Gate.Check(Compared(With(now, Collects, 3), With(now, Collects, 7)), limits).NotExcluded));
    }

    [Fact]
    public void A_limit_on_a_rise_is_undecided_if_new_rounds_are_0_and_crossed_if_only_old_rounds_are_0()
    {
        static Measurement Collected(Measurement round, int times) =>
            round with { Client = round.Client with { GcCollections = [times, 0, 0] } };
        var before = With(Before(), round => Collected(round, 4), 7);
        var after = With(After(), round => Collected(round, round.Number <= 3 ? 0 : 6), 7);
        var gate = Gate.Check(Compared(before, after), [GateLimit.Parse("client_gc>10%")]);
        Assert.Empty(gate.Crossed);
        Assert.Equal("client_gc>10% for tcp, 10 B: undecided: 3 rounds have a value of 0 and so no ratio",
            Assert.Single(gate.NotExcluded));
        // Rounds of 0 on the lower side would only increase the difference.
        var (some, more) = (With(Before(), round => Collected(round, round.Number <= 3 ? 0 : 4), 7),
            With(After(), round => Collected(round, 6), 7));
        Assert.Single(Gate.Check(Compared(some, more), [GateLimit.Parse("client_gc>10%")]).Crossed);
    }

    [Fact]
    public void A_latency_known_only_as_a_lower_bound_decides_a_limit_in_one_direction_only()
    {
        // Either all 10,000 calls took so many ms, or 200 of the calls waited so many ms and were never sent.
        static RunRecord Waiting(bool isSent, int ms)
        {
            var run = Simulated.Run([[.. Enumerable.Range(0, 7).Select(i => 1000.0 + i)]]);
            return run with
            {
                Rounds = [.. run.Rounds.Select(round => isSent ? round with { Latency = ConclusionTests.Calls(10_000, ms) } : round with
                {
                    Latency = ConclusionTests.Calls(9_800, 1),
                    NotSent = 200,
                    NotSentLatency = ConclusionTests.Calls(200, ms),
                })],
            };
        }
        static Gate Judged(RunRecord before, RunRecord after) => Gate.Check(Compared(before, after), [GateLimit.Parse("p99>10%")]);

        Assert.Equal(1, Judged(Waiting(true, 10), Waiting(true, 10)).Passed);
        Assert.Equal("p99>10% for tcp, 10 B: p99 of new is only a lower bound in a round",
            Assert.Single(Judged(Waiting(true, 10), Waiting(false, 10)).NotExcluded));
        Assert.Equal("p99>10% for tcp, 10 B: p99 of base is only a lower bound in a round",
            Assert.Single(Judged(Waiting(false, 10), Waiting(true, 20)).NotExcluded));
        Assert.Single(Judged(Waiting(true, 10), Waiting(false, 20)).Crossed);
        Assert.Equal(1, Judged(Waiting(false, 10), Waiting(true, 10)).Passed);
    }

    [Theory]
    [InlineData("rps<5%", "'rps<5%' would fail when nothing changed: write rps<-5% for a fall, rps>5% for a rise")]
    [InlineData("p99>-10%", "'p99>-10%' would fail when nothing changed: write p99<-10% for a fall, p99>10% for a rise")]
    [InlineData("rps", NoLimit)]
    [InlineData("rps<-5", NoLimit)]
    [InlineData("rps<-5,5%", NoLimit)]
    [InlineData("rps<-150%", "'rps<-150%' can never fail: a metric cannot fall by more than 100%")]
    public void The_error_of_an_invalid_limit_says_how_to_write_a_valid_limit(string text, string sentence) =>
        Assert.Equal(string.Format(sentence, text), Assert.Throws<FormatException>(() => GateLimit.Parse(text)).Message);

    [Fact]
    public void An_unknown_metric_is_rejected_with_the_known_metrics() => Assert.Equal(
        $"there is no metric 'speed': write one of {string.Join(", ", Metric.All.Select(metric => metric.Id))}",
        Assert.Throws<FormatException>(() => GateLimit.Parse("speed<-5%")).Message);

    private const string NoLimit =
        "'{0}' is not a limit: write a metric, < or >, and a change in percent, e.g. 'rps<-5%' or 'p99>10%'";
}
