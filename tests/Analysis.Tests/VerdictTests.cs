using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Tests;

public sealed class VerdictTests
{
    [Theory]
    [InlineData(0.0042, "0.5 %")]
    [InlineData(0.0995, "10 %")]
    [InlineData(0.1, "10 %")]
    [InlineData(0.1236, "13 %")]
    public void A_bound_is_never_rounded_down(double share, string shown) => Assert.Equal(shown, VerdictText.RoundedUp(share));

    [Theory]
    [InlineData(999.4, "999 ns")]
    [InlineData(999.7, "1.00 µs")]
    [InlineData(999_700, "1.00 ms")]
    [InlineData(999_700_000, "1.00 s")]
    public void A_duration_that_is_rounded_to_1000_has_the_next_unit(double ns, string shown) => Assert.Equal(shown, Quantity.Duration(ns));

    private static string Say(double delta, params double[] ratios) =>
        VerdictText.Describe(Verdict.From(Simulated.Estimate(ratios), delta), Metric.Rate);

    [Fact]
    public void A_verdict_is_a_difference_or_no_difference_or_undecided()
    {
        Assert.Equal("faster by 45 % [43 %, 47 %]", Say(0.03, 1.42, 1.44, 1.45, 1.45, 1.46, 1.48));
        Assert.Equal("slower by 20.0 % [19.6 %, 20.4 %]", Say(0.03, 0.795, 0.7975, 0.80, 0.80, 0.8025, 0.805));
        Assert.Equal("faster by 0.2–0.8 %, too little to matter", Say(0.03, 1.001, 1.003, 1.004, 1.005, 1.006, 1.009));
        Assert.Equal("slower by 0.3–0.9 %, too little to matter", Say(0.03, 0.99, 0.993, 0.994, 0.995, 0.996, 0.998));
        Assert.Equal("faster by 0.4 % [0.2 %, 0.7 %]", Say(0.001, 1.001, 1.003, 1.004, 1.004, 1.006, 1.009));
        Assert.Equal("no difference larger than 1.2 %", Say(0.03, 0.99, 0.995, 1, 1, 1.005, 1.02));
        Assert.Equal("undecided: between −7.7 % and +11 %", Say(0.03, 0.9, 0.95, 1, 1, 1.05, 1.2));
        Assert.Equal("undecided: between −8.1 % and +59 %", Say(0.03, 0.98, 0.99, 1.2, 1.3, 1.4, 1.46));
        // The range of more rounds is too wide to be useful, so it is not shown.
        Assert.Equal("undecided: between −17 % and +12 %", Say(0.03,
            0.7, 0.8, 0.8, 0.9, 0.9, 0.9, 1.1, 1.2, 1.2, 1.3));
    }

    [Theory]
    [InlineData(1.0004, 1.73, "faster by 23 % [0.04 %, 73 %]", "+23 % [0.04, 73]")]
    [InlineData(0.6, 0.9997, "slower by 23 % [0.03 %, 40 %]", "−23 % [−40, −0.03]")]
    [InlineData(1.0004, 1.009, "faster by 0.04–0.9 %, too little to matter", "+23 % [0.04, 0.9]")]
    public void A_bound_of_a_decided_difference_is_never_shown_as_0(double low, double high, string whole, string brief)
    {
        var verdict = Verdict.From(Simulated.Estimate([1.2, 1.2, 1.2, 1.2, 1.2, 1.2]) with
        {
            Ratio = low > 1 ? 1.23 : 0.77,
            Interval = new Interval(low, high),
        }, 0.03);
        Assert.Equal((whole, brief), (VerdictText.Describe(verdict, Metric.Rate), VerdictText.Short(verdict)));
    }

    [Theory]
    [InlineData(3, "undecided: 3 more rounds needed")]
    [InlineData(5, "undecided: 1 more round needed")]
    public void With_too_few_rounds_the_verdict_states_how_many_more_rounds_are_needed(int rounds, string verdict) =>
        Assert.Equal(verdict, Say(0.03, [.. Enumerable.Repeat(1.4, rounds)]));

    [Fact]
    public void A_round_with_a_value_of_0_makes_the_verdict_undecided_and_is_reported()
    {
        double[] clear = [1.42, 1.44, 1.45, 1.45, 1.46, 1.48];
        Assert.Equal("undecided: 1 round has a value of 0 and so no ratio", Say(0.03, [.. clear, 0]));
        Assert.Equal("undecided: 2 rounds have a value of 0 and so no ratio", Say(0.03, [0, .. clear, 0]));
        double[] before = [100, 101, 102, 103, 104], after = [200, 201, 0, 203, 204];
        var unpaired = Verdict.From(RatioEstimate.Unpaired(before, after, 0.05)!, 0.03);
        Assert.Equal((VerdictKind.CannotTell, 1), (unpaired.Kind, unpaired.Estimate.LeftOut));
        Assert.False(unpaired.WantsMoreRounds); // a round without a call stays in the run
        Assert.Equal(VerdictKind.Higher, Verdict.From(RatioEstimate.Unpaired(before, after.Where(value => value > 0), 0.05)!, 0.03).Kind);
    }

    [Fact]
    public void The_predicted_number_of_more_rounds_is_right_in_at_least_70_percent_of_runs()
    {
        var (random, within, seen) = (new Random(8), 0, 0);
        for (var i = 0; i < 400; i++)
        {
            double[] ratios = [.. Enumerable.Range(0, 1500).Select(_ => Math.Exp(0.03 + 0.06 * Simulated.Gaussian(random)))];
            Assert.Null(Verdict.From(Estimate(ratios, 9), 0.01).MoreRounds);
            if (Verdict.From(Estimate(ratios, 12), 0.01).MoreRounds is not { } more)
                continue;
            seen++;
            Assert.True(more.Least <= more.Most);
            within += IsDecided(ratios, 12 + more.Most) && !IsDecided(ratios, 12 + Math.Max(0, more.Least / 2 - 1)) ? 1 : 0;
        }
        Assert.True(seen > 200);
        Assert.InRange(within / (double)seen, 0.7, 1);

        // Judges the rounds as --resume does.
        static bool IsDecided(double[] ratios, int rounds) => !Verdict.From(RatioEstimate.FromPairs(
            ratios.Take(rounds).Select((ratio, i) => (i + 1, 1.0, ratio)), isLookedAt: true)!, 0.01).WantsMoreRounds;

        static RatioEstimate Estimate(double[] ratios, int rounds) => Simulated.Estimate(ratios.Take(rounds));
    }

    // Rounds that --resume adds are judged by the confidence sequence, which is valid at every look, at the level of their family.
    [Fact]
    public void The_predicted_number_of_more_rounds_is_about_the_same_after_a_look_is_recorded()
    {
        var (random, ratios, families, draws) = (new Random(8), new List<double>(), 0, Simulated.IsWhole ? 400 : 100);
        for (var i = 0; i < draws; i++)
        {
            double[] Noisy(double shift) =>
                [.. Enumerable.Range(0, 24).Select(_ => 1000 * Math.Exp(shift + 0.04 * Simulated.Gaussian(random)))];
            var kept = Simulated.Run([Noisy(0), Noisy(0.02), Noisy(0), Noisy(0.02)], arms: 2);
            if (More(kept) is not { Most: < MoreRounds.Many } before
                || More(kept with { Options = kept.Options with { Looks = [24] } }) is not { } after)
                continue;
            // The same rounds need about as many more rounds before and after the look is recorded.
            ratios.Add((24.0 + before.Most) / (24 + after.Most));
            var alone = More(Simulated.Run([Rates(kept, 0), Rates(kept, 1)], arms: 2));
            families += alone?.Most < before.Most ? 1 : 0;
        }
        Assert.True(ratios.Count > draws / 4 && families > draws / 4, $"{ratios.Count} and {families}");
        Assert.InRange(RatioEstimate.Median(ratios), 0.9, 1.15);
        // Three more rounds make six, the fewest with which a look can decide among two comparisons.
        Assert.Equal(3, Of(Simulated.Run([[1, 2, 3], [2, 3, 4]], arms: 2)).RoundsMissing);

        static double[] Rates(RunRecord run, int cell) => [.. new MeasuredRun(run).Cells[cell].Rounds.Select(round => round.Rate)];

        static MoreRounds? More(RunRecord record) => Of(record).MoreRounds;

        static Verdict Of(RunRecord record)
        {
            var run = new MeasuredRun(record);
            return ArmComparison.OfHeadline(run, run.Cells[1])!.Verdict;
        }
    }

    [Fact]
    public void The_range_of_more_rounds_is_shown_only_if_its_ends_differ_by_at_most_a_factor_of_30()
    {
        var (random, said, silent) = (new Random(8), 0, 0);
        for (var i = 0; i < 200; i++)
        {
            var noise = 0.1 * (1 + (i % 8));
            double[] ratios = [.. Enumerable.Range(0, 12).Select(_ => Math.Exp(0.04 + noise * Simulated.Gaussian(random)))];
            var verdict = Verdict.From(Simulated.Estimate(ratios), 0.1);
            if (verdict.MoreRounds is not { Most: < MoreRounds.Many } more)
                continue;
            var isNarrow = more.Most <= 30 * more.Least;
            Assert.Equal(isNarrow, VerdictText.Describe(verdict, Metric.Rate).Contains("; roughly ", StringComparison.Ordinal));
            (said, silent) = (said + (isNarrow ? 1 : 0), silent + (isNarrow ? 0 : 1));
        }
        Assert.True(said > 10 && silent > 10, $"{said} and {silent}");
    }

    [Fact]
    public void The_median_of_an_even_number_of_rounds_is_the_lower_middle_round()
    {
        var run = Simulated.Run([[100, 400, 200, 300]]);
        Assert.Equal(200, new MeasuredRun(run).Cells[0].Median!.Rate, 1e-6);
    }

    [Fact]
    public void Only_the_last_attempt_of_a_round_counts()
    {
        var run = Simulated.Run([[100, 200, 300]]);
        run = run with { Rounds = [.. run.Rounds, run.Rounds[1] with { Attempt = 1, Completed = 10_000 }] };
        Assert.Equal([100, 1000, 300], new MeasuredRun(run).Cells[0].Rounds.Select(r => Math.Round(r.Rate)));
    }

    [Fact]
    public void A_repetition_that_was_cut_does_not_replace_the_first_attempt()
    {
        var run = Simulated.Run([[100, 200, 300]]);
        var cut = run.Rounds[1] with { Attempt = 1, Completed = 10, WindowNs = run.Rounds[1].WindowNs / 4 };
        run = run with { Rounds = [.. run.Rounds, cut], Options = run.Options with { DurationNs = run.Rounds[1].WindowNs } };
        Assert.Equal([100, 200, 300], new MeasuredRun(run).Cells[0].Rounds.Select(r => Math.Round(r.Rate)));
    }

    [Fact]
    public void One_unsent_call_does_not_make_the_median_a_lower_bound()
    {
        var (ended, notSent) = (new LatencyHistogram(), new LatencyHistogram());
        for (var i = 0; i < 2_006; i++)
            ended.Record(300_000 + i * 105, 1); // from 300 µs to 510 µs
        notSent.Record(900_000, 1);
        var latency = ended.ToCounts().WithBounds(notSent.ToCounts());
        Assert.False(latency.IsBoundAt(50));
        Assert.True(latency.HasBounds);
    }

    [Fact]
    public void A_percentile_with_few_samples_beyond_has_no_value_and_cut_off_calls_make_a_lower_bound()
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
        // When no call succeeded, every value is a bound. The histogram of the bounds is not changed.
        var bounds = cutOff.ToCounts();
        Assert.True(LatencyCounts.Empty.WithBounds(bounds).IsBoundAt(50));
        Assert.False(bounds.HasBounds);
    }
}
