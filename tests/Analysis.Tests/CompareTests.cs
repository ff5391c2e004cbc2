using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using static IpcBench.Analysis.Tests.ComparedFiles;

namespace IpcBench.Analysis.Tests;

public sealed class CompareTests
{
    private static FileComparison Of(RunRecord before, RunRecord after) => Compared(before, after);

    /// <summary>
    /// Makes two runs minutes apart on a machine whose speed wanders in steps of <paramref name="wander"/>. All cells wander together.
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

    private static double ShareFailed(double wander, double change, Func<FileComparison, bool> fails) => Simulated.Share(300, 7,
        random => Apart(random, wander, change) is var (before, after) && fails(Of(before, after)));

    private static bool Gated(FileComparison comparison) => Gate.Check(comparison, [GateLimit.Parse("rps<-5%")]).Crossed.Count > 0;

    [Fact]
    public void Identical_runs_minutes_apart_on_a_drifting_machine_seldom_fail_the_gate()
    {
        Assert.InRange(ShareFailed(0.03, 0, Gated), 0, 0.07);
        Assert.InRange(ShareFailed(0.01, 0, Gated), 0, 0.02);
        Assert.Equal(0, ShareFailed(0, 0, Gated));
    }

    [Fact]
    public void Without_an_allowance_for_drift_equal_runs_would_often_fail_the_gate() =>
        Assert.InRange(ShareFailed(0.03, 0, comparison => comparison.Cells.Any(cell =>
            GateLimit.Parse("rps<-5%").IsCrossed(Statistics.RatioEstimate
                .Unpaired(cell.Before.Values(Metric.Rate), cell.After.Values(Metric.Rate), 0.05)) == true)), 0.15, 1);

    [Fact]
    public void Many_cells_of_equal_runs_are_almost_never_reported_as_different()
    {
        // If each of the 18 cells were judged alone, at 5 %, most pairs of runs would differ in some cell.
        RunRecord Equal(Random random) => Simulated.Run([.. Enumerable.Range(0, 18).Select(_ => Enumerable.Range(0, 12)
            .Select(_ => 1000 * Math.Exp(0.02 * Simulated.Gaussian(random))).ToArray())], arms: 3);
        var together = Simulated.Share(400, 11, random => Of(Equal(random), Equal(random)).JudgeAll(Metric.Rate)
            .Any(one => one.Verdict?.Kind is VerdictKind.Higher or VerdictKind.Lower));
        Assert.InRange(together, 0, 0.05 + Simulated.Margin(0.05, 400));

        var changed = Of(Sample(1, rounds: 12), Sample(2, factor: 0.7, rounds: 12));
        Assert.All(changed.JudgeAll(Metric.Rate), one => Assert.Equal(VerdictKind.Lower, one.Verdict!.Kind));
    }

    [Fact]
    public void A_real_drop_of_15_percent_fails_the_gate() => Assert.InRange(ShareFailed(0.002, Math.Log(0.85), Gated), 0.95, 1);

    [Fact]
    public void A_slower_fixed_loop_widens_the_interval_only_if_both_runs_are_of_one_machine()
    {
        var (before, after) = (Sample(1), Sample(2, 0.85));
        Assert.True(Gated(Of(before, after)));
        var throttled = after with { Rounds = [.. after.Rounds.Select(round => round with { FixedLoopNs = round.FixedLoopNs * 6 / 5 })] };
        Assert.False(Gated(Of(before, throttled)));
        Assert.True(Gated(Of(before, throttled with { Host = throttled.Host with { CpuModel = "another" } })));
    }

    [Fact]
    public void Drift_of_a_metric_does_not_widen_the_intervals_of_another_metric()
    {
        var random = new Random(4);
        RunRecord Wandering(int seed)
        {
            var run = Sample(seed);
            double[] speed = [.. Enumerable.Range(0, 20).Select(_ => Math.Exp(0.1 * Simulated.Gaussian(random)))];
            // The machine's speed changes the rates and not the CPU time of a call.
            return run with
            {
                Rounds = [.. run.Rounds.Select(round => round with { WindowNs = (long)(round.WindowNs / speed[round.Number]) })]
            };
        }
        var files = Of(Wandering(1), Wandering(2));
        Assert.InRange(files.DriftOf(Metric.Rate).Allowance, 0.15, 1);
        Assert.InRange(files.DriftOf(Metric.ClientCpu).Allowance, 0, 0.05);
        var hidden = files.Judge(files.Cells[0].Before, files.Cells[0].After, Metric.Rate)!;
        Assert.Contains("; cannot be decided with this drift of the machine (", VerdictText.Describe(hidden, Metric.Rate),
            StringComparison.Ordinal);
    }

    [Fact]
    public void Noise_of_one_of_two_arms_is_no_drift()
    {
        RunRecord Noisy(int seed)
        {
            var run = new SampleRuns(seed) { Sizes = [10], Transports = ["tcp", "unix"], Rounds = 2, SamplesPerRound = 40 }.Make();
            return run with
            {
                Rounds = [.. run.Rounds.Select(round => round with
                {
                    FixedLoopNs = 0,
                    Client = round.Client with
                    {
                        Calls = 1000, CpuUserNs = round is { Cell: 1, Number: 2 } ? 12_000_000 : 10_000_000, CpuKernelNs = 0,
                    },
                })],
            };
        }
        Assert.Equal(0, Of(Noisy(1), Noisy(2)).DriftOf(Metric.ClientCpu).Allowance, 1e-6);
    }

    [Fact]
    public void Drift_is_computed_for_each_load_by_itself()
    {
        var random = new Random(6);
        RunRecord Wandering(int seed)
        {
            var run = Sample(seed, rounds: 19);
            // The rounds of a load are measured after the others, at another speed of the machine.
            var cells = run.Cells.Select(cell => cell with { Key = cell.Key with { Load = "5000/s" } });
            var all = run with
            {
                Cells = [.. run.Cells, .. cells],
                Rounds = [.. run.Rounds, .. run.Rounds.Select(round => round with { Cell = round.Cell + run.Cells.Count })],
            };
            double[] speed = [.. Enumerable.Range(0, 40).Select(_ => Math.Exp(0.1 * Simulated.Gaussian(random)))];
            return all with
            {
                Rounds = [.. all.Rounds.Select(round => round with
                {
                    Client = round.Client with
                    {
                        CpuUserNs = (long)(round.Client.CpuUserNs * speed[round.Number + (round.Cell < run.Cells.Count ? 0 : 20)]),
                        CpuKernelNs = (long)(round.Client.CpuKernelNs * speed[round.Number + (round.Cell < run.Cells.Count ? 0 : 20)]),
                    },
                })],
            };
        }
        // Three times the deviation between two runs, which is 10 % in each.
        Assert.InRange(Of(Wandering(1), Wandering(2)).DriftOf(Metric.ClientCpu).Allowance, 0.4, 0.5);
    }

    [Fact]
    public void Cells_are_matched_by_their_settings_and_not_by_order_or_address()
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
    public void Each_printed_comparison_equals_its_approved_snapshot()
    {
        RunRecord Windows() => Sample(2, 0.8, os: "Windows");
        Snapshot.Verify("compare.text", () => new CompareReport(markdown: false).Make([Of(Sample(1), Windows())]));
        var narrow = new CompareReport(markdown: false, width: 40).Make([Of(Sample(1), Sample(1))]);
        Assert.Contains("without a", narrow, StringComparison.Ordinal);
        var only = Sample(1);
        only = only with { Cells = only.Cells.Take(1).ToList(), Rounds = [.. only.Rounds.Where(round => round.Cell == 0)] };
        narrow += new CompareReport(markdown: false, width: 40).Make([Of(Sample(1), only)]);
        Assert.Contains("Only in", narrow, StringComparison.Ordinal);
        Assert.All(narrow.Split('\n'), line => Assert.InRange(line.Length, 0, 40));
        Snapshot.Verify("compare.markdown", () => new CompareReport(markdown: true).Make([Of(Sample(1), Windows())]));
        Snapshot.Verify("compare-three.text", () => new CompareReport(markdown: false)
            .Make([Of(Sample(1), Sample(3)),
            new(new NamedRun("base", new MeasuredRun(Sample(1))), new NamedRun("windows", new MeasuredRun(Windows())))]));
    }
}
