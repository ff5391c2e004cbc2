using System.Text.RegularExpressions;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Plots;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Tests;

/// <summary>Checks how objectives are parsed, which calls count against an objective, and what reports say of the found rate.</summary>
public class RateSearchResultTests
{
    private const string NoObjective = " is not an objective such as p99<1ms: write one of p50, p90, p95, p99, p99.9, mean, failures, "
        + "then < and a limit";

    private const double ServiceNs = 50e3;
    private const int Rounds = 12 + RateSearch.Approach;
    private const string TooFew = "is unknown: near that rate the objective allows fewer than 100 slow or failed calls, too few to judge "
        + "(-d makes windows longer).";

    [Theory]
    [InlineData("p99<1ms", "p99 1000000")]
    [InlineData(" p99.9 < 1.5ms , failures<0.1% ", "p99.9 1500000, failures 0.001")]
    [InlineData("mean<200us,p50<1s", "mean 200000, p50 1000000000")]
    public void An_objective_is_parsed(string text, string expected)
    {
        var objective = LatencyObjective.Parse(text, out var error)!;
        Assert.Equal("", error);
        Assert.Equal(expected,
            string.Join(", ", objective.Terms.Select(term => FormattableString.Invariant($"{term.Name} {term.Limit:0.######}"))));
        Assert.DoesNotContain(' ', objective.Text);
    }

    [Theory]
    [InlineData("", "''" + NoObjective)]
    [InlineData("p98<1ms", "'p98<1ms'" + NoObjective)]
    [InlineData("p99>1ms", "'p99>1ms'" + NoObjective)]
    [InlineData("p99<1ms,", "''" + NoObjective)]
    [InlineData("p99", "'p99' has no limit: write 'p99<1ms' in quotation marks, because < has a meaning in a shell")]
    [InlineData("p99<1", "'p99<1' needs a limit such as 500us or 1ms, up to an hour")]
    [InlineData("p99<0ms", "'p99<0ms' needs a limit such as 500us or 1ms, up to an hour")]
    [InlineData("p99<-1ms", "'p99<-1ms' needs a limit such as 500us or 1ms, up to an hour")]
    [InlineData("mean<9999999s", "'mean<9999999s' needs a limit such as 500us or 1ms, up to an hour")]
    [InlineData("failures<1", "'failures<1' needs a share of all calls such as 0.1%")]
    [InlineData("failures<100%", "'failures<100%' needs a share of all calls such as 0.1%")]
    [InlineData("p99<1ms,p99<2ms", "'p99<1ms,p99<2ms' has two limits for p99")]
    public void An_invalid_objective_is_rejected_with_a_reason(string text, string expected)
    {
        Assert.Null(LatencyObjective.Parse(text, out var error));
        Assert.Equal(expected, error);
    }

    [Fact]
    public void Failed_and_cut_off_and_unsent_calls_count_against_the_objective()
    {
        var window = new RoundMetrics(WindowOf(1, 1000, [.. Enumerable.Repeat(500_000L, 90), 2_000_000, 2_000_000]) with
        {
            Started = 100,
            Failed = new Dictionary<string, long> { ["reset"] = 5 },
            CutOff = 3,
            CutOffLatency = HistogramOf([9_000_000, 9_000_000, 9_000_000]),
            NotSent = 6,
            NotSentLatency = HistogramOf([100_000, 100_000, 5_000_000, 5_000_000, 5_000_000, 5_000_000]),
        });
        ObjectiveTerm Term(string text) => LatencyObjective.Parse(text, out _)!.Terms[0];

        // Two calls were slow, five failed, three were cut off and four waited too long. Two waited less than a millisecond: not judged.
        Assert.Equal(new Probe(1000, 104, 14), RateSearchResult.ProbeOf(Term("p99<1ms"), window));
        Assert.Equal(new Probe(1000, 106, 14), RateSearchResult.ProbeOf(Term("failures<1%"), window));
        var mean = RateSearchResult.ProbeOf(Term("mean<1ms"), window);
        Assert.Equal(104, mean.Calls);
        Assert.Equal(49e6 + 5e6 + 27e6 + 20e6, mean.Against, 0.01 * mean.Against);
    }

    [Fact]
    public void The_wait_of_unsent_calls_below_the_limit_does_not_count_in_a_mean()
    {
        var window = new RoundMetrics(WindowOf(1, 1000, [.. Enumerable.Repeat(900_000L, 100)]) with
        {
            Started = 100,
            NotSent = 50,
            NotSentLatency = HistogramOf([.. Enumerable.Repeat(950_000L, 49), 3_000_000]),
        });
        var mean = RateSearchResult.ProbeOf(LatencyObjective.Parse("mean<1ms", out _)!.Terms[0], window);
        Assert.Equal((101, 93e6), (mean.Calls, Math.Round(mean.Against / 1e6) * 1e6));
    }

    [Fact]
    public void Every_report_states_the_highest_rate_that_meets_the_objective()
    {
        var run = Run("p99<1ms", seed: 3);
        var found = Assert.Single(RateSearchResult.FindAll(new MeasuredRun(run)));
        var truth = Queue.Truth(false, 1e6 / ServiceNs, 0.99) * 1e9 / ServiceNs;
        Assert.InRange(found.Rate, truth * 0.95, truth * 1.05);

        var model = new ReportModel(run);
        Assert.Matches(@"^10 B: tcp keeps p99<1ms up to 1\d,\d{3} calls/s \[1\d,\d{3}, 1\d,\d{3}\], \d\d % of tcp's rate at full load\.$",
            Assert.Single(RateSearchSentences.Lines(new MeasuredRun(run))));
        Assert.Contains("Highest rate at p99<1ms\n", new TextReport().Make(model), StringComparison.Ordinal);
        Assert.Contains("Highest rate at p99&lt;1ms", new HtmlReport().Make(model), StringComparison.Ordinal);
        Assert.DoesNotContain("p99<1ms", new HtmlReport().Make(model), StringComparison.Ordinal);
        Assert.Contains("<p class=\"cap\">Each arm was loaded in an open loop", new HtmlReport().Make(model), StringComparison.Ordinal);
        Assert.Contains("p99 against rate", new HtmlReport().Make(model), StringComparison.Ordinal);
        Assert.Contains("Highest rate at p99&lt;1ms", new SvgReport("objective").Make(model), StringComparison.Ordinal);
        Assert.Contains("\"outcome\": \"found\"", new JsonReport().Make(model), StringComparison.Ordinal);
        var rows = new CsvReport().Make(model).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(1 + 1 + Rounds, rows.Length);
        Assert.EndsWith(",,,,", rows[1], StringComparison.Ordinal);
        Assert.Matches(@",10000,1\d{4}(\.\d+)?,1\d{4}(\.\d+)?,1\d{4}(\.\d+)?$", rows[2]);
    }

    [Fact]
    public void The_failures_of_a_search_are_named()
    {
        var run = Run("p99<1ms", seed: 3);
        run = run with
        {
            Rounds = [.. run.Rounds.Select(round => round.Cell == 0 || round.Number > 2 ? round : round with
            {
                Started = round.Started + 3, Failed = new Dictionary<string, long> { ["status 14"] = 3 },
            })],
        };
        Assert.Matches(@" of tcp's rate at full load\. In the search 6 of \d+ calls failed \(status 14 UNAVAILABLE: 6\)\.$",
            Assert.Single(RateSearchSentences.Lines(new MeasuredRun(run))));
    }

    [Fact]
    public void The_comparison_of_two_files_states_both_rates_and_does_not_judge_them()
    {
        var (one, other) = (new MeasuredRun(Run("p99<1ms", seed: 3)), new MeasuredRun(Run("p99<1ms", seed: 4)));
        string Compared(MeasuredRun after) =>
            new CompareReport(markdown: false).Make([new FileComparison(new NamedRun("base", one), new NamedRun("new", after))]);

        Assert.Matches(@"- highest rate at p99<1ms \(tcp, 10 B\): 1\d,\d{3}/s \[1\d,\d{3}, 1\d,\d{3}\] → 1\d,\d{3}/s \[1\d,\d{3}, "
            + @"1\d,\d{3}\], not judged: ", Compared(other));
        Assert.Matches(@"- highest rate at p99<1ms \(tcp, 10 B\): 1\d,\d{3}/s \[[^]]+\] → not searched, not judged: ",
            Compared(new MeasuredRun(Simulated.Run([[1e9 / ServiceNs]]))));
    }

    [Theory]
    [InlineData("p50<1s", Rounds,
        "tcp keeps p50<1s at every rate that was tried, up to 25,000 calls/s, 1.25 times tcp's rate at full load.")]
    [InlineData("p50<10us", Rounds, "tcp does not keep p50<10us even at 200 calls/s, 1.0 % of tcp's rate at full load.")]
    [InlineData("p50<200us", 3, "the highest rate at which tcp keeps p50<200us is unknown after 3 windows: "
        + "the objective was kept at 14,142/s, but not at 20,000/s.")]
    [InlineData("failures<1%", Rounds,
        "tcp keeps failures<1% at every rate that was tried, up to 25,000 calls/s, 1.25 times tcp's rate at full load.")]
    [InlineData("failures<0.0001%", Rounds, "the highest rate at which tcp keeps failures<0.0001% " + TooFew)]
    [InlineData("p99.9<1s", Rounds, "the highest rate at which tcp keeps p99.9<1s " + TooFew)]
    public void A_search_without_a_result_explains_why(string text, int rounds, string expected) =>
        Assert.Equal("10 B: " + expected, Assert.Single(RateSearchSentences.Lines(new MeasuredRun(Run(text, 1, rounds, length: 2000)))));

    [Theory]
    [InlineData("objective", "objective")]
    [InlineData("promise", "objective")]
    [InlineData("ratio", "ratio")]
    [InlineData("objectives", null)]
    public void The_current_name_and_the_old_name_of_the_plot_objective_are_accepted(string asked, string? name) =>
        Assert.Equal(name, PlotList.NameOf(asked));

    [Fact]
    public void The_highest_rate_is_unknown_if_the_estimate_lies_above_all_tried_rates()
    {
        // Only a window at the lowest rate missed the objective. By the other windows the limit lies above all rates.
        var run = At("p99<1ms", [10_000, 10_100, 10_200, 10_300, 10_400, 10_000, 10_100, 10_200, 10_300, 10_400],
            slow: i => i == 5 ? 110 : 20);
        Assert.Equal("10 B: the highest rate at which tcp keeps p99<1ms is unknown after 10 windows: from 10,000 to 10,400/s some "
            + "windows kept the objective and some did not.", Assert.Single(RateSearchSentences.Lines(new MeasuredRun(run))));
        Assert.DoesNotContain("10,8", new TextReport().Make(new ReportModel(run)), StringComparison.Ordinal);
    }

    [Fact]
    public void The_highest_tried_rate_is_reported_although_one_window_at_a_lower_rate_missed()
    {
        var run = At("p50<500us", [10_000, 7_071, 10_000, 14_142, 20_000, 25_000, 25_000, 25_000, 25_000, 25_000, 25_000, 25_000],
            slow: i => i == 0 ? 9_000 : 0);
        Assert.Equal("10 B: tcp keeps p50<500us at the highest rate that was tried, 25,000 calls/s, 1.25 times tcp's rate at full load.",
            Assert.Single(RateSearchSentences.Lines(new MeasuredRun(run))));
    }

    [Fact]
    public void A_window_in_which_no_call_was_due_does_not_count_as_a_missed_objective()
    {
        // The server is slow: the last rates of the search give less than one call per window.
        var run = Run("p99<10us", seed: 1, length: 20);
        Assert.True(run.Rounds.Count(round => round.Started == 0) > 1);
        Assert.NotEqual(SearchOutcome.Nowhere, Assert.Single(RateSearchResult.FindAll(new MeasuredRun(run))).Outcome);
        Assert.Contains("the highest rate at which tcp keeps p99<10us is unknown",
            Assert.Single(RateSearchSentences.Lines(new MeasuredRun(run))),
            StringComparison.Ordinal);
        // Windows without calls have no percentile either.
        var model = new ReportModel(run);
        Assert.Contains("\"p99\": null", new JsonReport().Make(model), StringComparison.Ordinal);
        Assert.Equal(run.Rounds.Count(round => round.Started > 0) - 1, Regex.Count(new SvgReport("objective").Make(model), ": p99 \\d"));
    }

    [Fact]
    public void A_search_with_too_few_calls_finds_no_rate()
    {
        var run = Run("p99.9<1ms", seed: 1, length: 2000);
        Assert.Equal(SearchOutcome.TooFewCalls, Assert.Single(RateSearchResult.FindAll(new MeasuredRun(run))).Outcome);
    }

    [Theory]
    [InlineData("p99<1ms", false)]
    [InlineData("failures<1%,mean<1ms", false)]
    [InlineData("failures<1%", true)]
    public void No_rate_is_searched_for_an_objective_of_latency_if_messages_have_no_latency(string objective, bool isPossible)
    {
        var run = Simulated.Run([[20_000]]);
        run = run with { Cells = [run.Cells[0] with { Key = run.Cells[0].Key with { Mode = "push" } }] };
        run = run with { Cells = [run.Cells[0], run.Cells[0] with { Key = run.Cells[0].Key with { Load = objective } }] };
        var measured = new MeasuredRun(run);
        Assert.Equal(isPossible ? 10_000 : null, RateSearchResult.Next(measured, measured.Cells[1], 1));
    }

    [Fact]
    public void Windows_of_a_search_do_not_count_as_rounds()
    {
        var measured = new MeasuredRun(Run("p99<1ms", seed: 1));
        Assert.Equal((1, 0, Rounds), (measured.CommonRounds, measured.Cells[1].Rounds.Count, measured.Cells[1].Windows.Count));
        Assert.Null(measured.Cells[1].Median);
    }

    /// <summary>Makes windows of 10,000 calls, of which <paramref name="slow"/> take 2 ms and all others 0.1 ms.</summary>
    private static RunRecord At(string objective, double[] rates, Func<int, int> slow)
    {
        var run = Simulated.Run([[1e9 / ServiceNs]]);
        long[] Times(int i) => [.. Enumerable.Range(0, 10_000).Select(call => call < slow(i) ? 2_000_000L : 100_000L)];
        return run with
        {
            Cells = [run.Cells[0], run.Cells[0] with { Key = run.Cells[0].Key with { Load = objective } }],
            Rounds = [.. run.Rounds, .. rates.Select((rate, i) => WindowOf(i + 1, rate, Times(i)))],
        };
    }

    /// <summary>Makes one round at full load, and a search on an M/M/1 queue with the steps of a real run.</summary>
    private static RunRecord Run(string objective, int seed, int rounds = Rounds, double length = 20_000)
    {
        var (random, run) = (new Random(seed), Simulated.Run([[1e9 / ServiceNs]]));
        run = run with { Cells = [run.Cells[0], run.Cells[0] with { Key = run.Cells[0].Key with { Load = objective } }] };
        for (var number = 1; number <= rounds; number++)
        {
            var measured = new MeasuredRun(run);
            var rate = RateSearchResult.Next(measured, measured.Cells[1], number)!.Value;
            var times = Queue.Times(random, isDeterministic: false, rate * ServiceNs / 1e9, length);
            run = run with { Rounds = [.. run.Rounds, WindowOf(number, rate, [.. times.Select(time => (long)(time * ServiceNs))])] };
        }
        return run;
    }

    private static Measurement WindowOf(int number, double rate, IReadOnlyList<long> latencies) => new()
    {
        Cell = 1,
        Number = number,
        At = DateTimeOffset.UnixEpoch,
        WindowNs = 10_000_000_000,
        Started = latencies.Count,
        Ok = latencies.Count,
        Completed = latencies.Count,
        PayloadBytes = 0,
        Latency = HistogramOf(latencies),
        LatencySumNs = latencies.Sum(),
        AskedRate = rate,
        Client = new ProcessUsage { CpuUserNs = 1, CpuKernelNs = 1 },
        Connections = new ConnectionStats { Requested = 400, Opened = 400, Active = 400 },
    };

    private static string HistogramOf(IEnumerable<long> values)
    {
        var histogram = new LatencyHistogram();
        foreach (var value in values)
            histogram.Record(value);
        return histogram.Encode();
    }
}
