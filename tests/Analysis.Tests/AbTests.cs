using System.Net;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Tests;

/// <summary>Compares the two sides of simulated runs. The noise that both sides share is larger than their difference.</summary>
public class AbTests
{
    [Theory]
    [InlineData("text")]
    [InlineData("markdown")]
    [InlineData("html")]
    [InlineData("json")]
    [InlineData("junit")]
    public void Every_report_of_an_ab_file_repeats_the_printed_comparison(string format)
    {
        var run = Typed(Run(new Random(19), slower: 0.1));
        var made = Reports.Find(format)!.Make(new ReportModel(run));
        var sides = BuildComparison.From(new MeasuredRun(run))!.Sides;
        var said = Answers.For(new MeasuredRun(run));

        Assert.Contains(said, sentence => sentence.StartsWith("server CPU/call: worse in 2 of 2", StringComparison.Ordinal));
        Assert.DoesNotContain("fastest", made, StringComparison.Ordinal);
        Assert.DoesNotContain("Unix socket against TCP", made, StringComparison.Ordinal);
        var (before, after) = sides.Cells[0];
        var verdict = sides.Judge(before, after, Metric.ServerCpu)!;
        if (format is "json")
        {
            Assert.Contains(VerdictText.Describe(verdict, Metric.ServerCpu), made, StringComparison.Ordinal);
            return;
        }
        Assert.All(said, sentence => Assert.Contains(
            sentence, WebUtility.HtmlDecode(made).Replace('\u00A0', ' '), StringComparison.Ordinal));
        if (format is not "junit")
            Assert.Contains(after.ShowMiddle(Metric.ServerCpu), WebUtility.HtmlDecode(made), StringComparison.Ordinal);
    }

    [Fact]
    public void The_page_and_the_comparison_of_ab_show_the_same_rate_and_verdict_for_a_cell()
    {
        var run = new MeasuredRun(Typed(Run(new Random(19), slower: 0.1)));
        var head = run.Cells.First(cell => cell.Key.Variant == CellKey.HeadVariant);
        var comparison = ArmComparison.Compare(run, head, run.ReferenceOf(head)!, Metric.ServerCpu)!;
        var (before, after) = BuildComparison.From(run)!.Sides.Cells.First(cell => cell.After.Cell.Address == head.Cell.Address);

        Assert.Equal(BuildComparison.From(run)!.Sides.Judge(before, after, Metric.ServerCpu), comparison.Verdict);
        Assert.Equal(head.Key.Transport, run.ReferenceOf(head)!.Key.Arm);
        Assert.Null(run.ReferenceOf(run.ReferenceOf(head)!));
        Assert.Equal(after.ShowMiddle(Metric.Rate), head.Show(Metric.Rate));
        // The page's other table and bars show the middle of 16 rounds, between two rounds, not the rate of one round.
        var page = Reports.Find("html")!.Make(new ReportModel(run.Record));
        Assert.All(run.Cells, cell => Assert.DoesNotContain(Metric.Rate.Show(cell.Median!), page, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData('=')]
    [InlineData(':')]
    public void Limits_are_read_from_the_command_line_that_the_file_holds(char mark)
    {
        var run = Typed(Run(new Random(19), slower: 0.1), "--fail-on", "server_cpu>5%", $"--fail-on{mark}rps<-50%");
        Assert.Equal((2, 2), (BuildComparison.From(new MeasuredRun(run))!.Gate!.Crossed.Count,
            BuildComparison.From(new MeasuredRun(run))!.Gate!.Passed));
        Assert.Contains("\"crossed\"", new JsonReport().Make(new ReportModel(run)), StringComparison.Ordinal);
    }

    [Fact]
    public void At_most_5_percent_of_runs_that_compare_a_build_with_itself_report_a_difference() => Assert.InRange(
        Simulated.Share(1000, 19, random => Decided(FileComparison.OfSides(Run(random, slower: 0))).Count > 0),
        0, 0.05 + Simulated.Margin(0.05, 1000));

    [Fact]
    public void A_rise_of_server_CPU_by_3_percent_is_detected_although_rounds_vary_by_10_percent() => Assert.InRange(
        Simulated.Share(400, 19, random => Decided(FileComparison.OfSides(Run(random, slower: 0.03)))
            .Contains((Metric.ServerCpu, VerdictKind.Higher))), 0.95, 1);

    [Fact]
    public void The_sides_of_an_ab_file_are_compared_like_two_runs_but_without_the_allowance_for_drift()
    {
        var run = Run(new Random(19), slower: 0) with
        {
            Servers =
            [
                new ServerInfo { Addresses = ["b-tcp"], Stack = "x", Version = "1" },
                new ServerInfo { Addresses = ["h-tcp"], Stack = "x", Version = "2" },
            ],
        };
        var sides = FileComparison.OfSides(run);

        Assert.Equal((2, 0, 0), (sides.Cells.Count, sides.OnlyBefore.Count, sides.OnlyAfter.Count));
        Assert.Equal(new Difference("server's version", "1", "2"), Assert.Single(sides.Settings));
        Assert.Equal(0, sides.DriftOf(Metric.Rate).Allowance);
        Assert.All(sides.Cells, cell => Assert.Equal(16, cell.After.Rounds.Count));
        var report = new CompareReport(markdown: true, verbose: true).Make([sides]);
        Assert.Contains("## head against base", report, StringComparison.Ordinal);
        Assert.Contains("Both sides were measured in the same 16 rounds", report, StringComparison.Ordinal);
        Assert.DoesNotContain("The machines are the same", report, StringComparison.Ordinal);
    }

    [Fact]
    public void The_gate_judges_each_limit_for_each_cell_of_ab_and_reports_an_unfinished_run_once()
    {
        var run = Run(new Random(19), slower: 0.1) with { Ending = "interrupted" };
        var gate = Gate.Check(FileComparison.OfSides(run), [GateLimit.Parse("server_cpu>5%"), GateLimit.Parse("rps<-50%")]);

        Assert.Equal(2, gate.Crossed.Count);
        Assert.Equal(2, gate.Passed);
        Assert.Equal(["the run is not complete (interrupted)"], gate.Missing);
    }

    [Fact]
    public void A_failed_call_does_not_stop_a_run_of_ab_and_crosses_the_gate_at_its_end()
    {
        var run = Run(new Random(19), slower: 0);
        run = run with
        {
            Rounds = [.. run.Rounds.Select(round => round with { CutOff = round is { Number: 1, Cell: 1 } ? 1 : 0, Started = round.Ok })],
        };
        GateLimit[] limits = [GateLimit.Parse("server_cpu>0.001%")];
        Assert.False(StopDecision.OfSides(run, limits).Stop);
        Assert.Contains("1 calls failed or were cut off, none before",
            Assert.Single(Gate.Check(FileComparison.OfSides(run), limits).Crossed), StringComparison.Ordinal);
    }

    [Fact]
    public void A_metric_is_undecided_if_no_round_has_a_value_on_both_sides()
    {
        var run = Run(new Random(19), slower: 0);
        run = run with
        {
            Rounds = [.. run.Rounds.Select(round => round with
            {
                Client = round.Client with { GcCollections = [round.Cell % 2 == round.Number % 2 ? 4 : 0, 0, 0] },
            })],
        };
        var gate = Gate.Check(FileComparison.OfSides(run), [GateLimit.Parse("client_gc>10%")]);
        Assert.Equal((0, 0), (gate.Passed, gate.Crossed.Count));
        Assert.Equal("client_gc>10% for tcp, 10 B: undecided: no round has the metric on both sides", gate.NotExcluded[0]);
    }

    [Fact]
    public void Common_knobs_of_both_sides_do_not_change_the_comparison()
    {
        var run = Run(new Random(19), slower: 0.1);
        run = run with
        {
            Cells = [.. run.Cells.Select(cell => cell with
            {
                Key = cell.Key with { Mode = "ping-pong", Variant = $"{cell.Key.Variant} messages=5".Trim() },
            })],
        };
        var sides = FileComparison.OfSides(run);

        Assert.Equal((2, 0, 0), (sides.Cells.Count, sides.OnlyBefore.Count, sides.OnlyAfter.Count));
        Assert.All(sides.Cells, cell => Assert.Equal("messages=5", cell.After.Key.Variant));
        Assert.Equal(2, Gate.Check(sides, [GateLimit.Parse("server_cpu>5%")]).Crossed.Count);
    }

    [Fact]
    public void Metrics_with_a_limit_form_a_family_with_narrower_intervals_in_the_table_and_the_gate()
    {
        var sides = FileComparison.OfSides(Run(new Random(19), slower: 0.03));
        var asked = sides.For([GateLimit.Parse("server_cpu>2%"), GateLimit.Parse("server_cpu<-50%")]);
        var (before, after) = sides.Cells[0];
        double Width(FileComparison comparison) => comparison.Estimate(before, after, Metric.ServerCpu)!.Interval is { } found
            ? found.High / found.Low : 0;

        // Five metrics are shown for two cells. Metrics without values, here both latencies, count as claims too.
        Assert.Equal((10, 2, 8), (sides.ClaimsOf(Metric.ServerCpu), asked.ClaimsOf(Metric.ServerCpu), asked.ClaimsOf(Metric.Rate)));
        Assert.True(Width(asked) < Width(sides));
        var table = new CompareReport(markdown: true, verbose: true).Make([asked]);
        Assert.All(Gate.Check(asked, [GateLimit.Parse("server_cpu>2%"), GateLimit.Parse("server_cpu<-50%")]).NotExcluded, sentence =>
            Assert.Contains(sentence.Split("changed by ")[1].Split(" %")[0], table, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("failed>0.1%")] // no call failed, so there is no ratio
    [InlineData("p99>10%")] // no latency was recorded
    public void A_limit_is_judged_even_if_the_metric_of_another_limit_has_no_value(string other)
    {
        var whole = Run(new Random(19), slower: 0.3);
        var run = Typed(whole with { Rounds = [.. whole.Rounds.Where(round => round.Number <= 6)] },
            "--fail-on", "server_cpu>3%", "--fail-on", other);
        var sides = BuildComparison.From(new MeasuredRun(run))!.Sides;
        Assert.All(sides.Cells, cell =>
            Assert.Equal(VerdictKind.Higher, sides.Judge(cell.Before, cell.After, Metric.ServerCpu)!.Kind));
        Assert.DoesNotContain("0 more rounds", new TextReport().Make(new ReportModel(run)), StringComparison.Ordinal);
    }

    [Fact]
    public void An_unfinished_run_states_how_many_more_rounds_a_verdict_needs()
    {
        var whole = Run(new Random(19), slower: 0.3);
        var run = new MeasuredRun(whole with
        {
            Cells = [.. whole.Cells, .. whole.Cells.Select(cell => cell with
            {
                Address = cell.Address + "-later",
                Key = cell.Key with { Size = 100 },
            })],
            Rounds = [.. whole.Rounds.Where(round => round.Number <= 6)],
        });
        var verdict = ArmComparison.Compare(run, run.Cells[2], run.Cells[0], Metric.Rate)!.Verdict;
        Assert.Null(verdict.Estimate.Interval);
        Assert.Equal("undecided: 1 more round needed", VerdictText.Describe(verdict, Metric.Rate));
    }

    [Fact]
    public void A_run_stops_early_only_if_its_limit_is_clearly_crossed_or_clearly_excluded()
    {
        int Ends(double slower, string limit)
        {
            var whole = Run(new Random(19), slower);
            return Enumerable.Range(1, 16).FirstOrDefault(rounds => StopDecision.OfSides(whole with
            {
                Ending = "running",
                Rounds = [.. whole.Rounds.Where(round => round.Number <= rounds)],
            }, [GateLimit.Parse(limit)]).Stop);
        }

        Assert.InRange(Ends(0.10, "server_cpu>3%"), 5, 12);
        Assert.InRange(Ends(0, "server_cpu>5%"), 5, 12);
        Assert.Equal(0, Ends(0.03, "server_cpu>3%"));
    }

    [Theory]
    [InlineData(0.03, "server_cpu>3%", 0, 0.05)] // exactly the allowed change: crossing is a false alarm
    [InlineData(0, "server_cpu>3%", 0, 0.01)]
    [InlineData(0.05, "server_cpu>2%", 0.9, 1)]
    public void A_limit_checked_after_every_round_is_falsely_crossed_in_at_most_5_percent_of_runs(
        double slower, string limit, double least, double most)
    {
        var limits = new[] { GateLimit.Parse(limit) };
        var share = Simulated.Share(1000, 23, random =>
        {
            var whole = Run(random, slower);
            return Enumerable.Range(5, 12).Select(rounds => whole with
            {
                Ending = "running",
                Options = whole.Options with { RoundsAuto = true },
                Rounds = [.. whole.Rounds.Where(round => round.Number <= rounds)],
            }).Any(run => Gate.Check(FileComparison.OfSides(run), limits).Crossed.Count > 0);
        });
        Assert.InRange(Simulated.Told(share, $"{slower:0.00} slower, {limit}"), least, most + Simulated.Margin(most, 1000));
    }

    /// <summary>
    /// Simulates <c>ab -r auto</c> with one limit on the server's CPU. The noise is drawn from a committed run in which each round had a
    /// server of its own. Checks how often the limit is crossed, and after how many rounds half of the runs end.
    /// </summary>
    [Theory]
    [InlineData(5, 0, 0.05, 0, 0.02, 10)]       // equal builds, limit 5 %: excluded
    [InlineData(5, 0.05, 0, 0.9, 1, 10)]        // 5 % more, limit 0 %: crossed
    [InlineData(5, 0.03, 0, 0.9, 1, 16)]
    [InlineData(5, 0.05, 0.05, 0, 0.05, 30)]    // exactly the allowed change: crossing is a false alarm
    [InlineData(400, 0, 0.05, 0, 0.02, 16)]
    [InlineData(400, 0.05, 0, 0.9, 1, 18)]
    [InlineData(400, 0.05, 0.05, 0, 0.05, 30)]
    public void A_limit_is_decided_correctly_and_soon_under_the_noise_of_a_committed_run(
        int connections, double slower, double limit, double least, double most, int rounds)
    {
        var noise = Residuals(connections);
        var ends = new List<int>();
        var crossed = Simulated.Share(1000, 24, random =>
        {
            var logs = new List<double>();
            while (true)
            {
                logs.Add(Math.Log(1 + slower) + noise[random.Next(noise.Length)]);
                var interval = ConfidenceSequence.Compute(logs, Joint.Alpha);
                var isCrossed = interval?.Low > Math.Log(1 + limit);
                if (!isCrossed && !(interval?.High < Math.Log(1 + limit)) && logs.Count < 30)
                    continue;
                ends.Add(logs.Count);
                return isCrossed;
            }
        });
        var median = ends.Order().ElementAt(ends.Count / 2);
        Assert.InRange(Simulated.Told(crossed, $"{connections}: {slower:0.00} slower, limit {limit:0.00}, {median} rounds"),
            least - Simulated.Margin(0.05, 1000), most + Simulated.Margin(0.05, 1000));
        Assert.InRange(median, 5, rounds);
    }

    // Returns the noise between rounds: the log ratios of unix and tcp minus their mean, times √(n/(n − 1)).
    private static double[] Residuals(int connections)
    {
        var run = new MeasuredRun(ResultsFile.Load(Path.Combine(Repository.Root, "results/starts/own.json")));
        MeasuredCell Cell(string transport) =>
            run.Cells.Single(cell => cell.Key.Transport == transport && cell.Key.Connections == connections);
        double[] logs = [.. RoundPairs.Match(Cell("unix"), Cell("tcp"), Metric.ServerCpu).Select(pair => pair.Log)];
        return [.. logs.Select(log => (log - logs.Average()) * Math.Sqrt(logs.Length / (logs.Length - 1.0)))];
    }

    private static RunRecord Typed(RunRecord run, params string[] limits) =>
        run with { Scenario = "ab", CommandLine = ["ab", "--base", "x {port}", "--head", "y {port}", .. limits] };

    private static List<(Metric, VerdictKind)> Decided(FileComparison sides) =>
        [.. from cell in sides.Cells
            from metric in FileComparison.Shown
            let verdict = sides.Judge(cell.Before, cell.After, metric)
            where verdict is { Kind: VerdictKind.Higher or VerdictKind.Lower }
            select (metric, verdict.Kind)];

    /// <summary>Makes tcp and unix of both sides. Noise of 10 % is common to the cells of a round, noise of 1 % is not.</summary>
    private static RunRecord Run(Random random, double slower)
    {
        var moods = Enumerable.Range(0, 16).Select(_ => Math.Exp(0.1 * Simulated.Gaussian(random))).ToArray();
        var processes = Enumerable.Range(0, 4)
            .Select(cell => moods.Select(mood => mood * Math.Exp(0.01 * Simulated.Gaussian(random)) * (cell % 2 == 1 ? 1 + slower : 1)))
            .Select(costs => costs.ToArray()).ToArray();
        var run = Simulated.Run([.. processes.Select(costs => costs.Select(cost => 50_000 / cost).ToArray())]);
        return run with
        {
            Cells = [.. run.Cells.Select((cell, i) => cell with
            {
                Address = (i % 2 == 0 ? "b-" : "h-") + (i < 2 ? "tcp" : "unix"),
                Key = cell.Key with
                {
                    Transport = i < 2 ? "tcp" : "unix",
                    Size = 10,
                    Variant = i % 2 == 0 ? "" : CellKey.HeadVariant,
                },
            })],
            Rounds = [.. run.Rounds.Select(round => round with
            {
                Client = new ProcessUsage
                {
                    CpuUserNs = (long)(4_000 * Math.Exp(0.02 * Simulated.Gaussian(random)) * round.Completed),
                    CpuKernelNs = 0,
                },
                Server = new ProcessUsage
                {
                    CpuUserNs = (long)(20_000 * processes[round.Cell][round.Number - 1] * round.Completed),
                    CpuKernelNs = 0,
                },
            })],
        };
    }
}
