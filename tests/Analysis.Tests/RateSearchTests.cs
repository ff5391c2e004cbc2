using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Tests;

/// <summary>
/// The search for the highest rate of a promise, against simulated queues whose answer is known. IPCBENCH_SEARCHES=400 makes so many
/// searches of each queue instead of 20.
/// </summary>
public sealed class RateSearchTests
{
    private const double ServiceNs = 50e3;
    private const int Rounds = 12 + RateSearch.Approach;

    private static int Searches =>
        int.TryParse(Environment.GetEnvironmentVariable("IPCBENCH_SEARCHES"), out var count) ? count : 20;

    [Theory]
    [InlineData(false, 7, 0.99)]
    [InlineData(false, 20, 0.99)]
    [InlineData(false, 10, 0.5)]
    [InlineData(false, 30, 0.999)]
    [InlineData(true, 7, 0.99)]
    [InlineData(true, 20, 0.99)]
    [InlineData(true, 30, 0.5)]
    [InlineData(true, 10, 0.999)]
    public void Of_queues_with_a_known_answer_it_is_found_within_5_percent(bool isDeterministic, double limit, double quantile)
    {
        var truth = Queue.Truth(isDeterministic, limit, quantile);
        var errors = Enumerable.Range(0, Searches).Select(seed => Search(isDeterministic, limit, quantile, seed) is { } found
            ? Math.Abs(found.Rate / truth - 1) : double.PositiveInfinity).Order().ToList();
        TestContext.Current.TestOutputHelper?.WriteLine(FormattableString.Invariant(
            $"truth {truth:0.000} of the service rate, error at most {errors[Searches * 95 / 100 - 1]:0.0000} in 95 %"));
        Assert.InRange(errors[Searches * 95 / 100 - 1], 0, 0.05);
    }

    [Fact]
    public void Its_interval_holds_the_truth_about_as_often_as_it_says()
    {
        var truth = Queue.Truth(false, 20, 0.99);
        var held = Enumerable.Range(0, 40).Count(seed => Search(false, 20, 0.99, seed)!.Interval!.Value.Contains(truth));
        Assert.InRange(held, 34, 40);
    }

    [Fact]
    public void Windows_that_were_wrong_by_chance_are_corrected_by_those_after_them()
    {
        var done = new List<(double Rate, bool IsKept)>();
        for (var i = 0; i < 40; i++)
        {
            var rate = RateSearch.Next(done, 1000);
            // The promise holds up to 800/s; the second and the sixth window say the opposite.
            done.Add((rate, rate <= 800 != i is 1 or 5));
        }
        Assert.Equal(500, done[0].Rate);
        Assert.All(done.Skip(32), one => Assert.InRange(one.Rate, 800 * 0.92, 800 * 1.09));
    }

    [Theory]
    [InlineData(true, 1250)]
    [InlineData(false, 10)]
    public void It_goes_no_further_than_a_hundredth_of_full_load_and_a_quarter_above_it(bool isKept, double last)
    {
        var done = new List<(double Rate, bool IsKept)>();
        for (var i = 0; i < 12; i++)
            done.Add((RateSearch.Next(done, 1000), isKept));
        Assert.Equal(last, done[^1].Rate, 6);
    }

    // R's qt(0.975, n).
    [Theory]
    [InlineData(1, 12.7062)]
    [InlineData(2, 4.30265)]
    [InlineData(3, 3.18245)]
    [InlineData(5, 2.57058)]
    [InlineData(10, 2.22814)]
    [InlineData(30, 2.04227)]
    public void Students_quantile_is_that_of_the_tables(int freedom, double expected) =>
        Assert.Equal(expected, RateSearch.StudentQuantile(0.975, freedom), 2e-3);

    [Fact]
    public void The_curve_of_the_picture_never_falls() =>
        Assert.Equal([1, 2.5, 2.5, 4, 5, 5], RateSearch.NeverFalling([1, 3, 2, 4, 6, 4]));

    [Theory]
    [InlineData("p99<1ms", "p99 1000000")]
    [InlineData(" p99.9 < 1.5ms , failures<0.1% ", "p99.9 1500000, failures 0.001")]
    [InlineData("mean<200us,p50<1s", "mean 200000, p50 1000000000")]
    public void A_promise_is_read(string text, string expected)
    {
        var promise = Promise.Parse(text, out var error)!;
        Assert.Equal("", error);
        Assert.Equal(expected,
            string.Join(", ", promise.Terms.Select(term => FormattableString.Invariant($"{term.Name} {term.Limit:0.######}"))));
        Assert.DoesNotContain(' ', promise.Text);
    }

    [Theory]
    [InlineData("", "'' is no promise such as p99<1ms: p50, p90, p99, p99.9, mean, failures, then < and a limit")]
    [InlineData("p98<1ms", "'p98<1ms' is no promise such as p99<1ms: p50, p90, p99, p99.9, mean, failures, then < and a limit")]
    [InlineData("p99>1ms", "'p99>1ms' is no promise such as p99<1ms: p50, p90, p99, p99.9, mean, failures, then < and a limit")]
    [InlineData("p99<1ms,", "'' is no promise such as p99<1ms: p50, p90, p99, p99.9, mean, failures, then < and a limit")]
    [InlineData("p99<1", "'p99<1' needs a time such as 500us or 1ms, of an hour at most")]
    [InlineData("p99<0ms", "'p99<0ms' needs a time such as 500us or 1ms, of an hour at most")]
    [InlineData("p99<-1ms", "'p99<-1ms' needs a time such as 500us or 1ms, of an hour at most")]
    [InlineData("mean<9999999s", "'mean<9999999s' needs a time such as 500us or 1ms, of an hour at most")]
    [InlineData("failures<1", "'failures<1' needs a share of all calls such as 0.1%")]
    [InlineData("failures<100%", "'failures<100%' needs a share of all calls such as 0.1%")]
    [InlineData("p99<1ms,p99<2ms", "'p99<1ms,p99<2ms' promises p99 twice")]
    public void What_is_none_is_refused_with_a_reason(string text, string expected)
    {
        Assert.Null(Promise.Parse(text, out var error));
        Assert.Equal(expected, error);
    }

    [Fact]
    public void What_failed_was_cut_off_or_came_too_late_to_be_sent_counts_against_it()
    {
        var window = new MeasurementView(WindowOf(1, 1000, [.. Enumerable.Repeat(500_000L, 90), 2_000_000, 2_000_000]) with
        {
            Started = 100,
            Failed = new Dictionary<string, long> { ["reset"] = 5 },
            CutOff = 3,
            CutOffLatency = HistogramOf([9_000_000, 9_000_000, 9_000_000]),
            NotSent = 6,
            NotSentLatency = HistogramOf([100_000, 100_000, 5_000_000, 5_000_000, 5_000_000, 5_000_000]),
        });
        PromiseTerm Term(string text) => Promise.Parse(text, out _)!.Terms[0];

        // Two slow, five failed, three cut off, four too late; of the two that waited for less than a millisecond nobody knows.
        Assert.Equal(new Probe(1000, 104, 14), FoundRate.ProbeOf(Term("p99<1ms"), window));
        Assert.Equal(new Probe(1000, 106, 14), FoundRate.ProbeOf(Term("failures<1%"), window));
        var mean = FoundRate.ProbeOf(Term("mean<1ms"), window);
        Assert.Equal(104, mean.Calls);
        Assert.Equal(49e6 + 5e6 + 27e6 + 20e6, mean.Against, 0.01 * mean.Against);
    }

    [Fact]
    public void A_run_says_where_the_promise_ends_in_every_report()
    {
        var run = Run("p99<1ms", seed: 3);
        var found = Assert.Single(FoundRate.Of(new MeasuredRun(run)));
        var truth = Queue.Truth(false, 1e6 / ServiceNs, 0.99) * 1e9 / ServiceNs;
        Assert.InRange(found.Rate, truth * 0.95, truth * 1.05);

        var model = new ReportModel(run);
        Assert.Matches(@"^10 B: tcp keeps p99<1ms up to 1\d,\d{3} calls/s \[1\d,\d{3}, 1\d,\d{3}\], \d\d % of what it does at full load\.$",
            Assert.Single(FoundRates.Lines(new MeasuredRun(run))));
        Assert.Contains("Highest rate at p99<1ms\n", new TextReport().Make(model), StringComparison.Ordinal);
        Assert.Contains("Highest rate at p99&lt;1ms", new HtmlReport().Make(model), StringComparison.Ordinal);
        Assert.Contains("p99 against rate", new HtmlReport().Make(model), StringComparison.Ordinal);
        Assert.Contains("Highest rate at p99&lt;1ms", new SvgReport("promise").Make(model), StringComparison.Ordinal);
        Assert.Contains("\"outcome\": \"found\"", new JsonReport().Make(model), StringComparison.Ordinal);
        var rows = new CsvReport().Make(model).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(1 + 1 + Rounds, rows.Length);
        Assert.EndsWith(",,,,", rows[1], StringComparison.Ordinal);
        Assert.Matches(@",10000,1\d{4}(\.\d+)?,1\d{4}(\.\d+)?,1\d{4}(\.\d+)?$", rows[2]);
    }

    [Theory]
    [InlineData("p50<1s", Rounds,
        "tcp keeps p50<1s at every rate that was tried, up to 25,000 calls/s, 1.25 times what it does at full load.")]
    [InlineData("p50<10us", Rounds, "tcp does not keep p50<10us even at 200 calls/s, 1.0 % of what it does at full load.")]
    [InlineData("p50<200us", 3, "up to which rate tcp keeps p50<200us cannot be told from 3 windows: it did at 14,142/s, not at 20,000/s.")]
    [InlineData("failures<0.0001%", Rounds,
        "tcp keeps failures<0.0001% at every rate that was tried, up to 25,000 calls/s, 1.25 times what it does at full load.")]
    public void Where_it_holds_everywhere_or_nowhere_or_windows_are_too_few_a_sentence_says_so(string text, int rounds, string expected) =>
        Assert.Equal("10 B: " + expected, Assert.Single(FoundRates.Lines(new MeasuredRun(Run(text, 1, rounds, length: 2000)))));

    [Fact]
    public void Too_few_calls_near_it_are_no_percentile()
    {
        var run = Run("p99.9<1ms", seed: 1, length: 2000);
        Assert.Equal(SearchOutcome.TooFewCalls, Assert.Single(FoundRate.Of(new MeasuredRun(run))).Outcome);
    }

    [Fact]
    public void The_windows_of_a_search_are_no_rounds_of_what_else_was_measured()
    {
        var measured = new MeasuredRun(Run("p99<1ms", seed: 1));
        Assert.Equal((1, 0, Rounds), (measured.CommonRounds, measured.Cells[1].Rounds.Count, measured.Cells[1].Windows.Count));
        Assert.Null(measured.Cells[1].Median);
    }

    private static FoundCrossing? Search(bool isDeterministic, double limit, double quantile, int seed)
    {
        var random = new Random(seed);
        var saturation = 1 + 0.05 * Simulated.Gaussian(random);
        var (done, probes) = (new List<(double, bool)>(), new List<Probe>());
        for (var round = 0; round < Rounds; round++)
        {
            var rate = RateSearch.Next(done, saturation);
            var times = Queue.Times(random, isDeterministic, rate, length: 20_000);
            var slow = times.Count(time => time > limit);
            probes.Add(new Probe(rate, times.Count, slow));
            done.Add((rate, slow <= times.Count * (1 - quantile)));
        }
        return RateSearch.Crossing(probes, 1 - quantile, RateSearch.Centre([.. probes.Select(probe => probe.Rate)]), 0.05);
    }

    /// <summary>One round at full load, and a search of an M/M/1 queue, each step of which is taken as a run takes it.</summary>
    private static RunRecord Run(string promise, int seed, int rounds = Rounds, double length = 20_000)
    {
        var (random, run) = (new Random(seed), Simulated.Run([[1e9 / ServiceNs]]));
        run = run with { Cells = [run.Cells[0], run.Cells[0] with { Key = run.Cells[0].Key with { Load = promise } }] };
        for (var number = 1; number <= rounds; number++)
        {
            var measured = new MeasuredRun(run);
            var rate = FoundRate.Next(measured, measured.Cells[1], number)!.Value;
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

    /// <summary>One server, Poisson arrivals, a service time of 1 on average: exponential, or always the same.</summary>
    private static class Queue
    {
        /// <summary>From arrival to end of the calls that arrive in a window, which a load of a third of its length goes before.</summary>
        public static List<double> Times(Random random, bool isDeterministic, double rate, double length)
        {
            double Exponential() => -Math.Log(1 - random.NextDouble());
            var (now, free, times) = (-length / 3, -length / 3, new List<double>());
            while ((now += Exponential() / rate) < length)
            {
                free = Math.Max(free, now) + (isDeterministic ? 1 : Exponential());
                if (now >= 0)
                    times.Add(free - now);
            }
            return times;
        }

        /// <summary>The rate at which the quantile is the limit.</summary>
        public static double Truth(bool isDeterministic, double limit, double quantile)
        {
            var (low, high) = (0.0, 1.0);
            for (var i = 0; i < 60; i++)
            {
                var middle = (low + high) / 2;
                (low, high) = Slower(isDeterministic, middle, limit) > 1 - quantile ? (low, middle) : (middle, high);
            }
            return low;
        }

        /// <summary>
        /// Share of calls slower than that: of M/M/1 exp(−(1 − rate) limit); of M/D/1 by Erlang's formula (1909) for its waiting times,
        /// whose sum of alternating signs loses digits far out, where the tail is exponential.
        /// </summary>
        private static double Slower(bool isDeterministic, double rate, double limit)
        {
            const double far = 12;
            if (!isDeterministic)
                return Math.Exp(-(1 - rate) * limit);
            if (limit - 1 <= far)
                return Waits(rate, limit - 1);
            var (before, there) = (Waits(rate, far - 2), Waits(rate, far));
            return there * Math.Pow(there / before, (limit - 1 - far) / 2);
        }

        private static double Waits(double rate, double time)
        {
            var sum = 0.0;
            for (var k = 0; k <= (int)time; k++)
            {
                var term = Math.Exp(rate * (time - k));
                for (var j = 1; j <= k; j++)
                    term *= -rate * (time - k) / j;
                sum += term;
            }
            return 1 - (1 - rate) * sum;
        }
    }
}
