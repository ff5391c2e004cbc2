namespace IpcBench.Analysis.Statistics;

/// <summary>
/// Mann and Whitney's test of two unpaired samples, and Moses' interval of their shift (Hollander and Wolfe,
/// Nonparametric Statistical Methods, chapter 4). The results are exact for up to 50 values per sample. For larger
/// samples, the normal approximation is used.
/// </summary>
public static class RankSum
{
    private const int MostExact = 50;

    /// <summary>Computes the median of all differences between a value of the second sample and a value of the first sample.</summary>
    public static double Estimate(IEnumerable<double> first, IEnumerable<double> second)
    {
        double[] a = [.. first.Order()], b = [.. second.Order()];
        return SumOrder.Median((long)a.Length * b.Length, k => SumOrder.Difference(a, b, k));
    }

    /// <summary>
    /// Computes the interval of the shift from the first sample to the second. The probability that the interval misses
    /// the shift is at most alpha. Null when there are too few values.
    /// </summary>
    public static Interval? IntervalOf(IEnumerable<double> first, IEnumerable<double> second, double alpha)
    {
        double[] a = [.. first.Order()], b = [.. second.Order()];
        var k = CriticalValue(a.Length, b.Length, alpha) + 1;
        var pairs = (long)a.Length * b.Length;
        return k < 1 ? null : new Interval(SumOrder.Difference(a, b, k), SumOrder.Difference(a, b, pairs + 1 - k));
    }

    /// <summary>
    /// Computes the two-sided p-value: the probability of samples at least as far apart as these when nothing differs.
    /// A tie counts half, and a half in the sum is rounded towards the middle of the distribution.
    /// </summary>
    public static double PValue(IReadOnlyCollection<double> first, IReadOnlyCollection<double> second)
    {
        var larger = first.Sum(a => second.Sum(b => b > a ? 1 : b == a ? 0.5 : 0));
        var (n, m) = (first.Count, second.Count);
        var tail = (int)Math.Ceiling(Math.Min(larger, (double)n * m - larger));
        var below = n > MostExact || m > MostExact
            ? Normal.Below((tail + 0.5 - Mean(n, m)) / Deviation(n, m))
            : Distribution(n, m).Take(tail + 1).Sum();
        return Math.Min(1, 2 * below);
    }

    /// <summary>Finds the largest count u with 2·P(U ≤ u) ≤ alpha. −1 if there is no such count.</summary>
    public static long CriticalValue(int n, int m, double alpha)
    {
        if (n == 0 || m == 0)
            return -1;
        if (n > MostExact || m > MostExact)
            return Math.Max(-1, (long)Math.Floor(Mean(n, m) - 0.5 - Normal.Quantile(1 - alpha / 2) * Deviation(n, m)));
        var (probabilities, below) = (Distribution(n, m), 0.0);
        for (var u = 0; u < probabilities.Length; u++)
        {
            below += probabilities[u];
            if (2 * below > alpha + 1e-12)
                return u - 1;
        }
        return -1;
    }

    /// <summary>
    /// Computes the probability of each U when nothing differs. The number of ways to reach u is a coefficient of the
    /// Gaussian binomial, a product of (1 − q^(m+i)) / (1 − q^i). The factors are applied one by one, each scaled so
    /// that the result stays a distribution.
    /// </summary>
    private static double[] Distribution(int n, int m)
    {
        var ways = new double[n * m + 1];
        ways[0] = 1;
        for (var i = 1; i <= n; i++)
        {
            for (var u = ways.Length - 1; u >= m + i; u--)
                ways[u] -= ways[u - m - i];
            for (var u = i; u < ways.Length; u++)
                ways[u] += ways[u - i];
            var scale = (double)i / (m + i);
            for (var u = 0; u < ways.Length; u++)
                ways[u] *= scale;
        }
        return ways;
    }

    private static double Mean(int n, int m) => n * (double)m / 2;

    private static double Deviation(int n, int m) => Math.Sqrt(n * (double)m * (n + m + 1) / 12);
}
