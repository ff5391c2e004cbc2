using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Tests;

public sealed class RankTests
{
    // Hamilton depression scale factor of nine patients before and after a tranquilizer: Hollander and Wolfe,
    // Nonparametric Statistical Methods, 2nd edition, table 3.1; also the example of R's wilcox.test.
    private static readonly double[] Before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
    private static readonly double[] After = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];

    // Permeability of the human chorioamnion at term and at 12 to 26 weeks: the same book, table 4.1; also in R's wilcox.test.
    private static readonly double[] AtTerm = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
    private static readonly double[] Early = [1.15, 0.88, 0.90, 0.74, 1.21];

    private static double[] Differences => [.. Before.Zip(After, (before, after) => after - before)];

    [Fact]
    public void The_signed_rank_test_gives_the_results_of_the_textbook_for_the_depression_data()
    {
        Assert.Equal(0.0390625, SignedRank.PValue(Differences), 1e-9); // one-sided 0.01953 in the book
        Assert.Equal(-0.46, SignedRank.Estimate(Differences), 1e-9);
        var interval = SignedRank.IntervalOf(Differences, 0.05)!.Value;
        Assert.Equal(-0.786, interval.Low, 1e-9);
        Assert.Equal(-0.010, interval.High, 1e-9);
    }

    [Fact]
    public void The_rank_sum_test_gives_the_results_of_the_textbook_for_the_permeability_data()
    {
        Assert.Equal(2 * 0.1272, RankSum.PValue(Early, AtTerm), 1e-4); // one-sided in the book: W = 35, P = 0.1272
        Assert.Equal(0.305, RankSum.Estimate(Early, AtTerm), 1e-9);
        var interval = RankSum.IntervalOf(Early, AtTerm, 0.05)!.Value;
        Assert.Equal(-0.15, interval.Low, 1e-9);
        Assert.Equal(0.76, interval.High, 1e-9);
    }

    // Siegel and Castellan, Nonparametric Statistics for the Behavioral Sciences, and every textbook's table of T at 5 %, two-sided.
    [Theory]
    [InlineData(5, -1)]
    [InlineData(6, 0)]
    [InlineData(7, 2)]
    [InlineData(8, 3)]
    [InlineData(9, 5)]
    [InlineData(10, 8)]
    [InlineData(12, 13)]
    [InlineData(15, 25)]
    [InlineData(20, 52)]
    public void Critical_values_of_the_signed_rank_test_are_those_of_the_table(int count, int critical) =>
        Assert.Equal(critical, SignedRank.CriticalValue(count, 0.05));

    // Mann and Whitney's U at 5 %, two-sided, as in any textbook.
    [Theory]
    [InlineData(3, 3, -1)]
    [InlineData(4, 4, 0)]
    [InlineData(3, 5, 0)]
    [InlineData(5, 5, 2)]
    [InlineData(6, 6, 5)]
    [InlineData(7, 7, 8)]
    [InlineData(8, 8, 13)]
    [InlineData(10, 10, 23)]
    [InlineData(20, 20, 127)]
    public void Critical_values_of_the_rank_sum_test_are_those_of_the_table(int n, int m, int critical) =>
        Assert.Equal(critical, RankSum.CriticalValue(n, m, 0.05));

    [Fact]
    public void Critical_values_do_not_jump_where_the_normal_approximation_begins()
    {
        Assert.InRange(SignedRank.CriticalValue(51, 0.05) - SignedRank.CriticalValue(50, 0.05), 15, 27);
        Assert.InRange(RankSum.CriticalValue(51, 51, 0.05) - RankSum.CriticalValue(50, 50, 0.05), 25, 65);
    }

    // With 51 differences a two-sided probability is off by at most 0.0033, and by 0.009 without the continuity correction.
    [Theory]
    [InlineData(51)]
    [InlineData(60)]
    public void The_normal_approximation_of_the_signed_rank_test_is_near_the_exact_distribution(int count)
    {
        var exact = Below([.. Enumerable.Range(1, count)]);
        Assert.Equal(exact.Count(below => 2 * below <= 0.05) - 1, SignedRank.CriticalValue(count, 0.05));
        for (var sum = count * (count + 1) / 4 - 1; exact[sum] > 0.001; sum -= 20)
            Assert.Equal(2 * exact[sum], SignedRank.PValue(WithRankSum(count, sum)), 0.004);
    }

    [Fact]
    public void The_normal_approximation_of_several_groups_is_near_the_exact_distribution()
    {
        var exact = Below([.. Enumerable.Range(1, 40), .. Enumerable.Range(1, 30)]);
        for (var sum = (820 + 465) / 2 - 1; exact[sum] > 0.001; sum -= 20)
        {
            double[][] groups = [WithRankSum(40, Math.Min(sum, 400)), WithRankSum(30, sum - Math.Min(sum, 400))];
            Assert.Equal(2 * exact[sum], StratifiedRank.PValue(groups), 0.004);
        }
        Assert.Equal(SignedRank.PValue(WithRankSum(51, 500)), StratifiedRank.PValue([WithRankSum(51, 500)]), 1e-12);
    }

    [Fact]
    public void The_normal_approximation_of_the_rank_sum_test_is_near_the_exact_distribution()
    {
        const int count = 51;
        var exact = WaysOfU(count, count);
        Assert.Equal(exact.Count(below => 2 * below <= 0.05) - 1, RankSum.CriticalValue(count, count, 0.05));
        for (var over = 16; over <= 24; over += 2)
        {
            // The first `over` values of the second sample lie above the first sample, the other values below it: U is over × count.
            double[] first = [.. Enumerable.Range(100, count)];
            double[] second = [.. Enumerable.Range(0, count).Select(i => i < over ? 200.0 + i : i)];
            Assert.Equal(Math.Min(1, 2 * exact[over * count]), RankSum.PValue(first, second), 0.003);
        }
    }

    [Fact]
    public void P_values_are_exact_for_up_to_50_values_and_approximate_for_more_values()
    {
        var exact = Below([.. Enumerable.Range(1, 50)]);
        Assert.Equal(2 * exact[400], SignedRank.PValue(WithRankSum(50, 400)), 1e-12);
        // The three are the largest. Exact: 2 of 53!/(3!·50!) orders. Approximate: U = 0, mean 76.5, deviation 26.48.
        double[] three = [101, 102, 103], fifty = [.. Enumerable.Range(1, 50)], more = [.. Enumerable.Range(1, 51)];
        Assert.Equal(2 / 23426.0, RankSum.PValue(fifty, three), 1e-12);
        Assert.Equal(0.0041, RankSum.PValue(more, three), 0.0001);
        Assert.Equal(0.0041, RankSum.PValue(three, more), 0.0001);
    }

    // Abramowitz and Stegun, table 26.8, at 5 % and at 1 %.
    [Theory]
    [InlineData(1, 3.84146, 6.63490)]
    [InlineData(2, 5.99147, 9.21034)]
    [InlineData(3, 7.81473, 11.3449)]
    [InlineData(4, 9.48773, 13.2767)]
    [InlineData(5, 11.0705, 15.0863)]
    [InlineData(10, 18.3070, 23.2093)]
    public void Chi_squared_agrees_with_the_table(int degrees, double five, double one)
    {
        Assert.Equal(0.05, ChiSquared.Above(five, degrees), 1e-5);
        Assert.Equal(0.01, ChiSquared.Above(one, degrees), 1e-5);
    }

    [Theory]
    [InlineData(1500, 1500, 0.4, 0.6)]
    [InlineData(2000, 15, 0, 1e-15)]
    [InlineData(1e6, 1500, 0, 1e-15)]
    public void Chi_squared_is_a_probability_for_large_numbers_too(double x, int degrees, double low, double high) =>
        Assert.InRange(ChiSquared.Above(x, degrees), low, high);

    [Fact]
    public void The_interval_of_unpaired_rounds_contains_the_ratio_of_the_medians()
    {
        // The rank-sum interval is 1 to 1, because most pairs of rounds do not differ. But the medians differ.
        double[] before = [.. Enumerable.Repeat(1.0, 11), .. Enumerable.Repeat(100.0, 10)];
        double[] after = [.. Enumerable.Repeat(1.0, 10), .. Enumerable.Repeat(100.0, 11)];
        var rise = RatioEstimate.Unpaired(before, after, 0.05)!;
        Assert.Equal((100, 1, 100), (Rounded(rise.Ratio), Rounded(rise.Interval!.Value.Low), Rounded(rise.Interval.Value.High)));
        var fall = RatioEstimate.Unpaired(after, before, 0.05)!;
        Assert.Equal((0.01, 0.01, 1), (Rounded(fall.Ratio), Rounded(fall.Interval!.Value.Low), Rounded(fall.Interval.Value.High)));

        static double Rounded(double value) => Math.Round(value, 9);
    }

    [Fact]
    public void An_interval_at_95_percent_needs_at_least_six_rounds()
    {
        Assert.Equal(6, SignedRank.FewestFor(0.05));
        Assert.Null(SignedRank.IntervalOf([1, 2, 3, 4, 5], 0.05));
        Assert.NotNull(SignedRank.IntervalOf([1, 2, 3, 4, 5, 6], 0.05));
    }

    [Fact]
    public void The_rank_estimates_equal_the_median_over_all_pairs_of_values()
    {
        var random = new Random(4);
        for (var i = 0; i < 50; i++)
        {
            double[] a = [.. Enumerable.Range(0, random.Next(1, 9)).Select(_ => Math.Round(random.NextDouble(), 1)).Order()];
            double[] b = [.. Enumerable.Range(0, random.Next(1, 9)).Select(_ => Math.Round(random.NextDouble(), 1)).Order()];
            double[] walsh = [.. a.SelectMany((x, k) => a.Skip(k).Select(y => (x + y) / 2)).Order()];
            double[] differences = [.. a.SelectMany(x => b.Select(y => y - x)).Order()];
            Assert.Equal(Median(walsh), SignedRank.Estimate(a), 1e-9);
            Assert.Equal(Median(differences), RankSum.Estimate(a, b), 1e-9);
        }

        static double Median(double[] sorted) => (sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2;
    }

    /// <summary>Returns P(sum of positive ranks ≤ s) for each s. Each rank is positive with probability 1/2.</summary>
    private static double[] Below(int[] ranks)
    {
        var ways = new double[ranks.Sum() + 1];
        ways[0] = 1;
        foreach (var rank in ranks)
        {
            for (var sum = ways.Length - 1; sum >= 0; sum--)
                ways[sum] = (ways[sum] + (sum >= rank ? ways[sum - rank] : 0)) / 2;
        }
        return Summed(ways);
    }

    /// <summary>Returns P(U ≤ u) for each u, by recursion over the sample of the largest value.</summary>
    private static double[] WaysOfU(int n, int m)
    {
        var rows = new double[m + 1][];
        for (var i = 0; i <= n; i++)
        {
            for (var j = 0; j <= m; j++)
            {
                var made = new double[i * j + 1];
                for (var u = 0; u < made.Length; u++)
                {
                    made[u] = i == 0 || j == 0 ? 1
                        : (u >= j && u - j <= (i - 1) * j ? rows[j][u - j] * i / (i + j) : 0)
                            + (u <= i * (j - 1) ? rows[j - 1][u] * j / (i + j) : 0);
                }
                rows[j] = made;
            }
        }
        return Summed(rows[m]);
    }

    private static double[] Summed(double[] probabilities)
    {
        for (var i = 1; i < probabilities.Length; i++)
            probabilities[i] += probabilities[i - 1];
        return probabilities;
    }

    /// <summary>Makes differences of the sizes 1 to <paramref name="count"/>; the positive ones add up to <paramref name="sum"/>.</summary>
    private static double[] WithRankSum(int count, int sum)
    {
        var differences = new double[count];
        for (var rank = count; rank > 0; rank--)
        {
            differences[rank - 1] = rank <= sum ? rank : -rank;
            sum -= rank <= sum ? rank : 0;
        }
        return differences;
    }
}
