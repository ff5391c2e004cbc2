using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Tests;

public sealed class RankTests
{
    // Hamilton depression scale factor of nine patients before and after a tranquilizer: Hollander and Wolfe,
    // Nonparametric Statistical Methods, 2nd edition, table 3.1; also the example of R's wilcox.test.
    private static readonly double[] Before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
    private static readonly double[] After = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];

    // Permeability of the human chorioamnion at term and at 12 to 26 weeks: the same, table 4.1; R's wilcox.test too.
    private static readonly double[] AtTerm = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
    private static readonly double[] Early = [1.15, 0.88, 0.90, 0.74, 1.21];

    private static double[] Differences => [.. Before.Zip(After, (before, after) => after - before)];

    [Fact]
    public void The_signed_rank_test_agrees_with_the_depression_example()
    {
        Assert.Equal(0.0390625, SignedRank.PValue(Differences), 1e-9); // one-sided 0.01953 in the book
        Assert.Equal(-0.46, SignedRank.Estimate(Differences), 1e-9);
        var interval = SignedRank.IntervalOf(Differences, 0.05)!.Value;
        Assert.Equal(-0.786, interval.Low, 1e-9);
        Assert.Equal(-0.010, interval.High, 1e-9);
    }

    [Fact]
    public void The_rank_sum_test_agrees_with_the_permeability_example()
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
    public void Large_samples_go_over_to_the_normal_approximation_without_a_jump()
    {
        Assert.InRange(SignedRank.CriticalValue(51, 0.05) - SignedRank.CriticalValue(50, 0.05), 15, 27);
        Assert.InRange(RankSum.CriticalValue(51, 51, 0.05) - RankSum.CriticalValue(50, 50, 0.05), 25, 65);
    }

    [Fact]
    public void Six_rounds_are_the_fewest_for_95_percent()
    {
        Assert.Equal(6, SignedRank.FewestFor(0.05));
        Assert.Null(SignedRank.IntervalOf([1, 2, 3, 4, 5], 0.05));
        Assert.NotNull(SignedRank.IntervalOf([1, 2, 3, 4, 5, 6], 0.05));
    }

    [Fact]
    public void Order_statistics_of_sums_are_those_of_all_sums_written_out()
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
}
