using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Tests;

public sealed class CompareTests
{
    private static FileComparison Of(RunRecord before, RunRecord after) =>
        new(new NamedRun("base", new MeasuredRun(before)), new NamedRun("new", new MeasuredRun(after)));

    private static RunRecord Sample(int seed, double factor = 1, int rounds = 7, string os = "Linux") => new SampleRuns(seed)
    {
        Sizes = [10, 10_000],
        Rounds = rounds,
        SamplesPerRound = 40,
        Os = os,
        Speed = (transport, _) => factor * (transport == "unix" ? 1.4 : 1),
    }.Make();

    /// <summary>
    /// Two identical runs minutes apart, on a machine whose speed wanders in steps of this size; all cells wander together.
    /// </summary>
    private static (RunRecord, RunRecord) Apart(Random random, double wander, double change = 0, double noise = 0.02)
    {
        var speed = 0.0;
        RunRecord Next(double by)
        {
            var cells = Enumerable.Range(0, 6).Select(_ => new double[7]).ToList();
            for (var round = 0; round < 7; round++)
            {
                speed += wander * Simulated.Gaussian(random);
                foreach (var (i, cell) in cells.Index())
                    cell[round] = 1000 * (i + 1) * Math.Exp(speed + by + noise * Simulated.Gaussian(random));
            }
            return Simulated.Run(cells, arms: 3);
        }
        var first = Next(0);
        for (var minute = 0; minute < 7; minute++)
            speed += wander * Simulated.Gaussian(random);
        return (first, Next(change));
    }

    private static double ShareFailed(double wander, double change, Func<FileComparison, bool> fails)
    {
        var random = new Random(7);
        return Enumerable.Range(0, 300)
            .Count(_ => Apart(random, wander, change) is var (before, after) && fails(Of(before, after))) / 300.0;
    }

    private static bool Gated(FileComparison comparison) => Gate.Of(comparison, [GateLimit.Parse("rps<-5%")]).Crossed.Count > 0;

    [Fact]
    public void Two_identical_runs_minutes_apart_on_a_drifting_machine_do_not_fail_the_gate()
    {
        Assert.InRange(ShareFailed(0.03, 0, Gated), 0, 0.07);
        Assert.InRange(ShareFailed(0.01, 0, Gated), 0, 0.02);
        Assert.Equal(0, ShareFailed(0, 0, Gated));
    }

    [Fact]
    public void Without_an_allowance_for_drift_they_would_fail_often() =>
        Assert.InRange(ShareFailed(0.03, 0, comparison => comparison.Cells.Any(cell =>
            GateLimit.Parse("rps<-5%").IsCrossed(Statistics.RatioEstimate
                .Unpaired(cell.Before.Values(Metric.Rate), cell.After.Values(Metric.Rate), 0.05)) == true)), 0.15, 1);

    [Fact]
    public void A_real_fall_is_found() => Assert.InRange(ShareFailed(0.002, Math.Log(0.85), Gated), 0.95, 1);

    [Fact]
    public void A_slower_fixed_loop_widens_the_interval_on_one_machine_and_not_between_two()
    {
        var (before, after) = (Sample(1), Sample(2, 0.85));
        Assert.True(Gated(Of(before, after)));
        var throttled = after with { Rounds = [.. after.Rounds.Select(round => round with { FixedLoopNs = round.FixedLoopNs * 6 / 5 })] };
        Assert.False(Gated(Of(before, throttled)));
        Assert.True(Gated(Of(before, throttled with { Host = throttled.Host with { CpuModel = "another" } })));
    }

    [Fact]
    public void A_limit_is_crossed_only_by_the_whole_interval_and_too_few_rounds_cannot_tell()
    {
        var limits = new[] { GateLimit.Parse("rps<-5%") };
        Assert.Equal(6, Gate.Of(Of(Sample(1), Sample(2, 0.7)), limits).Crossed
            .Count(sentence => sentence.Contains("requests/s", StringComparison.Ordinal)));
        Assert.Empty(Gate.Of(Of(Sample(1), Sample(2, 0.95)), limits).Crossed);
        Assert.Empty(Gate.Of(Of(Sample(1), Sample(2, 1.3)), limits).Crossed);
        var few = Gate.Of(Of(Sample(1, rounds: 3), Sample(2, 0.5, rounds: 3)), limits);
        Assert.Empty(few.Crossed);
        Assert.Contains("cannot tell with 3 rounds, at least 4", few.Unknown[0], StringComparison.Ordinal);
    }

    [Fact]
    public void Gates_work_for_every_metric_and_both_directions()
    {
        var comparison = Of(Sample(1), Sample(2, 0.6));
        Assert.NotEmpty(Gate.Of(comparison, [GateLimit.Parse("client_cpu>5%")]).Crossed);
        Assert.NotEmpty(Gate.Of(comparison, [GateLimit.Parse("p50>10%")]).Crossed);
        Assert.Empty(Gate.Of(comparison, [GateLimit.Parse("server_cpu<-5%")]).Crossed);
        Assert.NotEmpty(Gate.Of(Of(Sample(1), Sample(2) with { Cells = [], Rounds = [] }), [GateLimit.Parse("rps<-5%")]).Unknown);
    }

    /// <summary>The same run with so many failed calls, or collections, in its rounds; the others have 0.</summary>
    private static RunRecord With(RunRecord run, Func<Measurement, Measurement> change, int rounds) =>
        run with { Rounds = [.. run.Rounds.Select(round => round.Cell == 0 && round.Number <= rounds ? change(round) : round)] };

    private static Measurement Fails(Measurement round) => round with { Failed = new Dictionary<string, long> { ["status 13"] = 3 } };

    [Fact]
    public void A_failed_call_where_none_failed_before_is_beyond_every_limit()
    {
        var (none, one) = (Sample(1), With(Sample(2), Fails, 1));
        foreach (var limit in new[] { "failed>0%", "failed>500%", "p99>10%" })
            Assert.Contains(Gate.Of(Of(none, one), [GateLimit.Parse(limit)]).Crossed,
                sentence => sentence.Contains("3 calls failed", StringComparison.Ordinal));
        Assert.Contains(Gate.Of(Of(none, one), [GateLimit.Parse("failed>0%")]).Crossed,
            sentence => sentence.Contains("failed was 0 in all 7 rounds of base, and is not in 1 of 7 of new", StringComparison.Ordinal));
    }

    [Fact]
    public void Without_a_failed_call_in_both_the_limit_on_them_passes_and_fewer_are_no_failure()
    {
        var (none, limits) = (Sample(1), new[] { GateLimit.Parse("failed>0%") });
        Assert.Equivalent(new Gate([], []), Gate.Of(Of(none, Sample(2)), limits), strict: true);
        Assert.Equivalent(new Gate([], []), Gate.Of(Of(With(none, Fails, 7), Sample(2)), limits), strict: true);
    }

    [Fact]
    public void What_was_0_before_is_beyond_a_limit_when_all_rounds_have_it_and_cannot_be_told_when_some_do()
    {
        static Measurement Collects(Measurement round) => round with { Client = round.Client with { GcCollections = [4, 0, 0] } };
        static Measurement Quiet(Measurement round) => round with { Client = round.Client with { GcCollections = [0, 0, 0] } };
        var (none, now, limits) = (With(Sample(1), Quiet, 7), With(Sample(2), Quiet, 7), new[] { GateLimit.Parse("client_gc>10%") });
        Gate After(int rounds) => Gate.Of(Of(none, With(now, Collects, rounds)), limits);

        Assert.Contains("was 0 in all 7 rounds of base", Assert.Single(After(7).Crossed), StringComparison.Ordinal);
        Assert.Empty(After(2).Crossed);
        Assert.Contains(After(2).Unknown, sentence => sentence.Contains("is not in 2 of 7 of new", StringComparison.Ordinal));
        // In part 0 before, too: there is no ratio for those rounds.
        Assert.Contains(Gate.Of(Of(With(now, Collects, 3), With(now, Collects, 7)), limits).Unknown,
            sentence => sentence.Contains("4 rounds have a value of 0", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("rps<5%", "rps<-5%")]
    [InlineData("p99>-10%", "p99>10%")]
    [InlineData("speed<-5%", "there is no metric 'speed'")]
    [InlineData("rps", "is no limit")]
    [InlineData("rps<-5", "is no limit")]
    [InlineData("rps<-5,5%", "is no limit")]
    [InlineData("rps<-150%", "can never fail")]
    public void A_limit_that_cannot_be_meant_is_refused_with_the_fix(string text, string message) =>
        Assert.Contains(message, Assert.Throws<FormatException>(() => GateLimit.Parse(text)).Message, StringComparison.Ordinal);

    [Fact]
    public void Cells_are_aligned_by_what_they_are_never_by_path()
    {
        var windows = Sample(2, os: "Windows");
        windows = windows with
        {
            Cells = [.. windows.Cells.Reverse().Select(cell => cell with { Address = "elsewhere" })],
            Rounds = [.. windows.Rounds.Select(round => round with { Cell = windows.Cells.Count - 1 - round.Cell })]
        };
        var comparison = Of(Sample(1), windows);
        Assert.Equal(6, comparison.Cells.Count);
        Assert.All(comparison.Cells, cell => Assert.Equal(cell.Before.Key, cell.After.Key));
        Assert.False(comparison.SameMachine);
        Assert.Contains(comparison.Machines, difference => difference.What == "operating system");
        var fewer = Sample(2) with { };
        fewer = fewer with { Rounds = [.. fewer.Rounds.Where(round => round.Cell != 0)] };
        Assert.Equal("tcp", Assert.Single(Of(Sample(1), fewer).OnlyBefore).Transport);
    }

    [Fact]
    public void Comparisons_are_printed_as_approved()
    {
        RunRecord Windows() => Sample(2, 0.8, os: "Windows");
        Snapshot.Verify("compare.text", () => new CompareReport(markdown: false).Make([Of(Sample(1), Windows())]));
        Snapshot.Verify("compare.markdown", () => new CompareReport(markdown: true).Make([Of(Sample(1), Windows())]));
        Snapshot.Verify("compare-three.text", () => new CompareReport(markdown: false)
            .Make([Of(Sample(1), Sample(3)),
            new(new NamedRun("base", new MeasuredRun(Sample(1))), new NamedRun("windows", new MeasuredRun(Windows())))]));
    }
}
