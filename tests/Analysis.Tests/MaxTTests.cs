using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Tests;

/// <summary>Checks the joint intervals of a family, and the intervals that are valid at every look.</summary>
public sealed class MaxTTests
{
    private const int AllRuns = 4000;

    private static IReadOnlyList<(int, double)> Series(IEnumerable<double> values) => [.. values.Select((value, i) => (i + 1, value))];

    private static double Share(Func<Random, bool> holds) => Simulated.Share(AllRuns, 20260901, holds);

    /// <summary>Returns the share of simulated families in which at least one interval misses the true mean, 0.</summary>
    private static double Missed(int rounds, int claims, Func<Random, double, double> noise) => Simulated.Told(Share(random =>
    {
        var all = Enumerable.Range(0, claims).Select(_ => new double[rounds]).ToList();
        for (var round = 0; round < rounds; round++)
        {
            // Noise that the arms of a round have in common does not cancel when the arms share one reference.
            var common = Simulated.Gaussian(random);
            foreach (var one in all)
                one[round] = noise(random, common);
        }
        return MaxT.Compute([.. all.Select(one => Series(one))], 0.05).Any(interval => interval is { } found && !found.Contains(0));
    }), $"{claims} comparisons, {rounds} rounds, one misses");

    [Theory]
    [InlineData(6, 1)]
    [InlineData(6, 10)]
    [InlineData(8, 5)]
    [InlineData(12, 40)]
    [InlineData(24, 10)]
    public void Joint_intervals_miss_a_true_mean_in_about_5_percent_of_runs_with_symmetric_noise(int rounds, int claims)
    {
        // Six rounds have only 32 choices of signs, so the level is rough: 6 %, plus the simulation's margin.
        var most = 0.06 + Simulated.Margin(0.06, AllRuns);
        Assert.InRange(Missed(rounds, claims, (random, _) => Simulated.Gaussian(random)), 0.02, most);
        Assert.InRange(Missed(rounds, claims, (random, common) => Simulated.Gaussian(random) + 1.5 * common), 0.02, most);
        // Some rounds are far noisier than other rounds.
        Assert.InRange(Missed(rounds, claims, (random, common) => Simulated.Gaussian(random) * Math.Exp(0.7 * common)), 0.01, most);
    }

    /// <summary>
    /// When only one of two arms stalls now and then, the noise is not symmetric. No interval that assumes symmetry keeps its level.
    /// </summary>
    [Theory]
    [InlineData(6, 10)]
    [InlineData(8, 10)]
    [InlineData(12, 16)]
    public void Skewed_noise_of_one_arm_makes_joint_intervals_miss_more_often(int rounds, int claims)
    {
        // Gamma with shape 4: skewness 1.
        double Skewed(Random random) => 2 - 0.5 * Enumerable.Range(0, 4).Sum(_ => -Math.Log(1 - random.NextDouble()));
        Assert.InRange(Missed(rounds, claims, (random, _) => Skewed(random)), 0.02, 0.2);
        // The ratio of two arms with the same skewness is symmetric again.
        Assert.InRange(Missed(rounds, claims, (random, _) => Skewed(random) - Skewed(random)), 0.01,
            0.06 + Simulated.Margin(0.06, AllRuns));
    }

    [Fact]
    public void The_interval_of_one_series_is_about_as_wide_as_the_interval_of_Students_t()
    {
        double[] values = [0.1, 0.4, -0.2, 0.3, 0.25, 0.05, 0.15, 0.35, -0.05, 0.2, 0.12, 0.28];
        var mean = values.Average();
        var error = Math.Sqrt(values.Sum(value => (value - mean) * (value - mean)) / 11 / 12);
        var interval = MaxT.Compute([Series(values)], 0.05)[0]!.Value;
        Assert.Equal(mean, (interval.Low + interval.High) / 2, 1e-9);
        Assert.InRange((interval.High - interval.Low) / 2 / error, 1.9, 2.5); // Student's factor is 2.20
    }

    [Fact]
    public void Correlated_series_need_a_smaller_correction_than_independent_series()
    {
        var random = new Random(4);
        double[] first = [.. Enumerable.Range(0, 12).Select(_ => Simulated.Gaussian(random))];
        double Width(Func<double[]> other) => MaxT.Compute([Series(first), .. Enumerable.Range(0, 9).Select(_ => Series(other()))], 0.05)[0]
            is { } found ? found.High - found.Low : 0;
        var alone = MaxT.Compute([Series(first)], 0.05)[0]!.Value;
        Assert.Equal(alone.High - alone.Low, Width(() => first), 1e-9);
        Assert.True(Width(() => [.. Enumerable.Range(0, 12).Select(_ => Simulated.Gaussian(random))]) > 1.2 * Width(() => first));
    }

    [Fact]
    public void A_series_with_too_few_rounds_has_no_interval_and_does_not_spoil_the_others()
    {
        double[] values = [0.1, 0.4, -0.2, 0.3, 0.25, 0.05, 0.15];
        var intervals = MaxT.Compute([Series(values), Series(values[..5]), Series([1, 1, 1, 1, 1, 1, 1])], 0.05);
        Assert.Equal(MaxT.Compute([Series(values)], 0.05)[0], intervals[0]);
        Assert.Null(intervals[1]);
        Assert.Equal(new Interval(1, 1), intervals[2]);
    }

    [Theory]
    [InlineData(5, 8.45)]
    [InlineData(6, 5.45)]
    [InlineData(8, 4.25)]
    [InlineData(10, 3.87)]
    [InlineData(20, 3.425)]
    [InlineData(60, 3.32)]
    [InlineData(680, 3.55)]
    public void The_confidence_sequence_has_the_expected_multiples_of_the_standard_error(int count, double multiplier) =>
        Assert.Equal(multiplier, ConfidenceSequence.Multiplier(count, 0.05)!.Value, 0.005);

    [Fact]
    public void The_confidence_sequence_is_unbounded_with_too_few_rounds()
    {
        Assert.Null(ConfidenceSequence.Compute([0.1, 0.2, 0.3], 0.05));
        Assert.Equal(5, ConfidenceSequence.FewestFor(0.05));
        Assert.Null(ConfidenceSequence.Multiplier(ConfidenceSequence.FewestFor(0.002) - 1, 0.002));
    }

    [Fact]
    public void At_most_5_percent_of_confidence_sequences_ever_exclude_the_true_mean() =>
        Assert.InRange(Share(random =>
        {
            var values = new List<double>();
            return Enumerable.Range(0, 100).Any(_ =>
            {
                values.Add(Simulated.Gaussian(random));
                return ConfidenceSequence.Compute(values, 0.05) is { } interval && !interval.Contains(0);
            });
        }), 0.005, 0.05 + Simulated.Margin(0.05, AllRuns));
}
