using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Tests;

public sealed class VerdictTests
{
    private static string Say(double delta, params double[] ratios) =>
        VerdictText.Of(Verdict.Of(RatioEstimate.Paired(ratios.Select(ratio => (1.0, ratio)), 0.05)!, delta), Metric.Rate);

    [Fact]
    public void There_are_three_verdicts()
    {
        Assert.Equal("faster by 45 % [42 %, 48 %]", Say(0.03, 1.42, 1.44, 1.45, 1.45, 1.46, 1.48));
        Assert.Equal("slower by 20.0 % [19.5 %, 20.5 %]", Say(0.03, 0.795, 0.7975, 0.80, 0.80, 0.8025, 0.805));
        Assert.Equal("no difference larger than 2.0 %", Say(0.03, 0.99, 0.995, 1, 1, 1.005, 1.02));
        Assert.StartsWith("cannot tell, about ", Say(0.03, 0.9, 0.95, 1, 1, 1.05, 1.2), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(3, "cannot tell, 3 more rounds would allow a verdict")]
    [InlineData(5, "cannot tell, 1 more round would allow a verdict")]
    public void Too_few_rounds_say_how_many_would_do(int rounds, string verdict) =>
        Assert.Equal(verdict, Say(0.03, [.. Enumerable.Repeat(1.4, rounds)]));

    [Fact]
    public void Pairs_in_which_one_value_is_0_are_told_and_nothing_is_concluded_from_the_others()
    {
        double[] clear = [1.42, 1.44, 1.45, 1.45, 1.46, 1.48];
        Assert.Equal("cannot tell, 1 round has a value of 0 and so no ratio", Say(0.03, [.. clear, 0]));
        Assert.Equal("cannot tell, 2 rounds have a value of 0 and so no ratio", Say(0.03, [0, .. clear, 0]));
        double[] before = [100, 101, 102, 103, 104], after = [200, 201, 0, 203, 204];
        var unpaired = Verdict.Of(RatioEstimate.Unpaired(before, after, 0.05)!, 0.03);
        Assert.Equal((VerdictKind.CannotTell, 1), (unpaired.Kind, unpaired.Estimate.LeftOut));
        Assert.Equal(VerdictKind.Higher, Verdict.Of(RatioEstimate.Unpaired(before, after.Where(value => value > 0), 0.05)!, 0.03).Kind);
    }

    [Fact]
    public void The_number_of_more_rounds_is_about_right()
    {
        var (random, ends) = (new Random(8), new List<double>());
        for (var i = 0; i < 300; i++)
        {
            double[] ratios = [.. Enumerable.Range(0, 400).Select(_ => Math.Exp(0.03 + 0.06 * Simulated.Gaussian(random)))];
            var first = Verdict.Of(Estimate(ratios, 8), 0.01);
            if (first.Kind != VerdictKind.CannotTell)
                continue;
            var then = Verdict.Of(Estimate(ratios, Math.Min(400, 8 + 2 * first.MoreRounds)), 0.01);
            ends.Add(then.Kind == VerdictKind.CannotTell ? 0 : 1);
        }
        // Twice as many more rounds as said decide most: the number is an estimate from eight rounds.
        Assert.True(ends.Count > 100);
        Assert.InRange(ends.Average(), 0.55, 1);

        static RatioEstimate Estimate(double[] ratios, int rounds) =>
            RatioEstimate.Paired(ratios.Take(rounds).Select(r => (1.0, r)), 0.05)!;
    }

    [Fact]
    public void The_median_round_of_an_even_number_is_the_lower_of_the_two_in_the_middle()
    {
        var run = Simulated.Run([[100, 400, 200, 300]]);
        Assert.Equal(200, new MeasuredRun(run).Cells[0].Median!.Rate, 1e-6);
    }

    [Fact]
    public void The_last_attempt_of_a_round_counts_and_it_alone()
    {
        var run = Simulated.Run([[100, 200, 300]]);
        run = run with { Rounds = [.. run.Rounds, run.Rounds[1] with { Attempt = 1, Completed = 10_000 }] };
        Assert.Equal([100, 1000, 300], new MeasuredRun(run).Cells[0].Rounds.Select(r => Math.Round(r.Rate)));
    }

    [Fact]
    public void A_percentile_needs_100_samples_beyond_it_and_is_a_bound_where_calls_cut_off_could_change_it()
    {
        var (ended, cutOff) = (new LatencyHistogram(), new LatencyHistogram());
        ended.Record(1_000_000, 9_990);
        cutOff.Record(10_000_000_000, 10);
        var latency = ended.ToCounts().WithBounds(cutOff.ToCounts());
        Assert.False(latency.IsBoundAt(99));
        Assert.Null(latency.At(99.9));
        Assert.True(latency.HasBounds);
        cutOff.Record(2_000_000, 190);
        var many = ended.ToCounts().WithBounds(cutOff.ToCounts());
        Assert.True(many.IsBoundAt(99));
        Assert.InRange(many.At(99)!.Value, 2_000_000, 2_002_000);
        // Where no call ended well, every value is a bound; the bounds themselves are left as they were.
        var bounds = cutOff.ToCounts();
        Assert.True(LatencyCounts.Empty.WithBounds(bounds).IsBoundAt(50));
        Assert.False(bounds.HasBounds);
    }
}
