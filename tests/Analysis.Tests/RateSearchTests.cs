using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Tests;

/// <summary>
/// Checks the search for the highest rate that meets an objective, on simulated queues whose answer is known.
/// </summary>
public sealed class RateSearchTests
{
    private const int Rounds = 12 + RateSearch.Approach;

    private static int Searches => Simulated.Draws(100);

    [Theory]
    [InlineData(3.0, 96)] // all windows missed the objective
    [InlineData(0.5, 106)]
    public void An_estimated_rate_outside_the_tried_rates_has_no_interval(double excess, double rate)
    {
        double[] rates = [100, 100, 100, 101, 102, 102, 102];
        var found = RateSearch.Crossing([.. rates.Select(one => new Probe(one, 1000, 10 * excess))], 0.01, 101, 0.05)!;
        Assert.Null(found.Interval);
        Assert.Equal(rate, found.Rate, 0.5);
    }

    [Fact]
    public void A_rate_that_rests_on_a_single_window_has_no_interval()
    {
        var probes = Enumerable.Range(0, 12).Select(i => new Probe(100 + i % 4, 1000, i == 7 ? 60 : 0)).ToList();
        Assert.Null(RateSearch.Crossing(probes, 0.01, 101, 0.05)?.Interval);
    }

    [Theory]
    [InlineData(false, 7, 0.99)]
    [InlineData(false, 20, 0.99)]
    [InlineData(false, 10, 0.5)]
    [InlineData(false, 30, 0.999)]
    [InlineData(true, 7, 0.99)]
    [InlineData(true, 20, 0.99)]
    [InlineData(true, 30, 0.5)]
    [InlineData(true, 10, 0.999)]
    public void The_search_finds_the_rate_of_known_queues_within_5_percent(bool isDeterministic, double limit, double quantile)
    {
        var truth = Queue.Truth(isDeterministic, limit, quantile);
        var errors = Enumerable.Range(0, Searches).Select(seed => Search(isDeterministic, limit, quantile, seed) is { } found
            ? Math.Abs(found.Rate / truth - 1) : double.PositiveInfinity).Order().ToList();
        TestContext.Current.TestOutputHelper?.WriteLine(FormattableString.Invariant(
            $"truth {truth:0.000} of the service rate, error at most {errors[Searches * 95 / 100 - 1]:0.0000} in 95 %"));
        Assert.InRange(errors[Searches * 95 / 100 - 1], 0, 0.05);
    }

    [Fact]
    public void The_interval_of_the_search_contains_the_true_rate_in_at_least_80_percent_of_searches()
    {
        var truth = Queue.Truth(false, 20, 0.99);
        var held = Enumerable.Range(0, Searches).Count(seed => Search(false, 20, 0.99, seed)!.Interval!.Value.Contains(truth));
        Assert.InRange(held, Searches * 0.8, Searches);
    }

    [Theory]
    [InlineData(0, 0.9)]
    [InlineData(0.05, 0.9)]
    [InlineData(0.1, 0.85)]
    [InlineData(0.15, 0.72)]
    public void With_varying_capacity_most_intervals_contain_the_rate_that_is_true_over_all_windows(
        double spread, double least)
    {
        var truth = Queue.TruthOverSpeeds(20, 0.99, spread);
        var found = Enumerable.Range(0, Simulated.Draws(300)).Select(seed => Search(false, 20, 0.99, seed, spread))
            .Where(one => one?.Interval != null).ToList();
        var held = found.Count(one => one!.Interval!.Value.Contains(truth)) / (double)found.Count;
        TestContext.Current.TestOutputHelper?.WriteLine(FormattableString.Invariant(
            $"{held:0.0%} of {found.Count} intervals hold it; on average {found.Average(one => one!.Rate / truth - 1):0.0%} off"));
        Assert.InRange(held, least - Simulated.Margin(least, 300), 1);
    }

    [Fact]
    public void The_search_reaches_the_right_rate_although_two_early_windows_were_wrong()
    {
        var done = new List<(double Rate, bool IsKept)>();
        for (var i = 0; i < 40; i++)
        {
            var rate = RateSearch.Next(done, 1000);
            // The objective holds up to 800/s; the second and the sixth window say the opposite.
            done.Add((rate, rate <= 800 != i is 1 or 5));
        }
        Assert.Equal(500, done[0].Rate);
        Assert.All(done.Skip(32), one => Assert.InRange(one.Rate, 800 * 0.92, 800 * 1.09));
    }

    [Theory]
    [InlineData(true, 1250)]
    [InlineData(false, 10)]
    public void The_search_stays_between_0_01_and_1_25_times_full_load(bool isKept, double last)
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
    public void Students_quantiles_agree_with_the_tables(int freedom, double expected) =>
        Assert.Equal(expected, RateSearch.StudentQuantile(0.975, freedom), 2e-3);

    [Fact]
    public void The_fitted_curve_never_falls() =>
        Assert.Equal([1, 2.5, 2.5, 4, 5, 5], RateSearch.NeverFalling([1, 3, 2, 4, 6, 4]));

    private static FoundCrossing? Search(bool isDeterministic, double limit, double quantile, int seed, double spread = 0)
    {
        var random = new Random(seed);
        var saturation = 1 + 0.05 * Simulated.Gaussian(random);
        var (done, probes) = (new List<(double, bool)>(), new List<Probe>());
        for (var round = 0; round < Rounds; round++)
        {
            var rate = RateSearch.Next(done, saturation);
            // On a faster machine all times are shorter by the same factor.
            var speed = Math.Exp(spread * Simulated.Gaussian(random));
            var times = Queue.Times(random, isDeterministic, rate / speed, length: 20_000 * speed);
            var slow = times.Count(time => time / speed > limit);
            probes.Add(new Probe(rate, times.Count, slow));
            done.Add((rate, slow <= times.Count * (1 - quantile)));
        }
        return RateSearch.Crossing(probes, 1 - quantile, RateSearch.Centre([.. probes.Select(probe => probe.Rate)]), 0.05);
    }
}

/// <summary>One server, Poisson arrivals, a service time of 1 on average: exponential, or always the same.</summary>
internal static class Queue
{
    /// <summary>Simulates how long the calls of a window take, after load for a third of its length.</summary>
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

    /// <summary>Finds the rate at which the quantile equals the limit.</summary>
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
    /// Finds the rate at which the quantile of an exponential queue equals the limit over many windows, whose speeds are log-normal around
    /// 1. A window counts for at most four times the allowed share, as in the search.
    /// </summary>
    public static double TruthOverSpeeds(double limit, double quantile, double spread)
    {
        var random = new Random(7);
        var speeds = Enumerable.Range(0, 4000).Select(_ => Math.Exp(spread * Simulated.Gaussian(random))).ToList();
        var (low, high) = (0.0, 1.0);
        for (var i = 0; i < 40; i++)
        {
            var middle = (low + high) / 2;
            var excess = speeds.Average(speed => Math.Min(4, Math.Exp(-Math.Max(0, speed - middle) * limit) / (1 - quantile)));
            (low, high) = excess > 1 ? (low, middle) : (middle, high);
        }
        return low;
    }

    /// <summary>
    /// Computes the share of calls slower than the limit: exp(−(1 − rate) limit) for M/M/1, Erlang's formula (1909) of waiting times for
    /// M/D/1. The formula's alternating sum loses digits at long times, where the tail is exponential.
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
