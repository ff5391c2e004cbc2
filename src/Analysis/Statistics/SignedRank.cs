namespace IpcBench.Analysis.Statistics;

/// <summary>
/// Wilcoxon's signed-rank test, its Hodges–Lehmann estimate and Tukey's interval (Hollander and Wolfe, Nonparametric
/// Statistical Methods, chapter 3). The results are exact for up to 50 differences. For more differences, the normal
/// approximation is used.
/// </summary>
public static class SignedRank
{
    private const int MostExact = 50;

    // The cache needs no lock: two threads that compute the same entry at the same time do no harm.
    private static readonly double[]?[] Distributions = new double[]?[MostExact + 1];

    /// <summary>Returns the smallest number of differences that gives an interval at this level: 6 for 5 %.</summary>
    public static int FewestFor(double alpha) => (int)Math.Ceiling(Math.Log2(2 / alpha) - 1e-9);

    /// <summary>Computes the median of the averages of all pairs of differences, including each difference with itself.</summary>
    public static double Estimate(IEnumerable<double> differences)
    {
        double[] sorted = [.. differences.Order()];
        return SumOrder.Median(Walsh(sorted.Length), k => SumOrder.WalshAverage(sorted, k));
    }

    /// <summary>
    /// Computes the interval of the middle of the differences. The probability that the interval misses the middle is
    /// at most alpha. Null when there are too few differences.
    /// </summary>
    public static Interval? IntervalOf(IEnumerable<double> differences, double alpha)
    {
        double[] sorted = [.. differences.Order()];
        var k = CriticalValue(sorted.Length, alpha) + 1;
        return k < 1 ? null : new Interval(SumOrder.WalshAverage(sorted, k), SumOrder.WalshAverage(sorted, Walsh(sorted.Length) + 1 - k));
    }

    /// <summary>
    /// Computes the two-sided p-value: the probability, when nothing differs, of a rank sum at least as far from the
    /// middle as the rank sum of these differences. Zeros are left out, and ties share their ranks.
    /// </summary>
    public static double PValue(IEnumerable<double> differences)
    {
        var (sum, count) = RankSum([.. differences.Where(d => d != 0)]);
        if (count == 0)
            return 1;
        // A tie can give half a rank. The sum is rounded towards the middle, so that the probability is never too small.
        var tail = (long)Math.Ceiling(Math.Min(sum, Walsh(count) - sum));
        return Math.Min(1, 2 * TailProbability(count, tail));
    }

    /// <summary>Finds the largest rank sum w with 2·P(W ≤ w) ≤ alpha. −1 if there is no such sum.</summary>
    public static long CriticalValue(int count, double alpha)
    {
        if (count > MostExact)
            return (long)Math.Floor(Mean(count) - 0.5 - Normal.Quantile(1 - alpha / 2) * Deviation(count));
        var (probabilities, below) = (Distribution(count), 0.0);
        for (var w = 0; w < probabilities.Length; w++)
        {
            below += probabilities[w];
            if (2 * below > alpha + 1e-12)
                return w - 1;
        }
        return -1;
    }

    /// <summary>Computes the sum of the ranks of the positive differences, and the number of all differences.</summary>
    internal static (double Sum, int Count) RankSum(double[] differences)
    {
        Array.Sort(differences, static (a, b) => Math.Abs(a).CompareTo(Math.Abs(b)));
        var sum = 0.0;
        for (var i = 0; i < differences.Length;)
        {
            var end = i;
            while (end < differences.Length && Math.Abs(differences[end]) == Math.Abs(differences[i]))
                end++;
            for (var rank = (i + 1 + end) / 2.0; i < end; i++)
                sum += differences[i] > 0 ? rank : 0;
        }
        return (sum, differences.Length);
    }

    /// <summary>Returns the probability of each rank sum when nothing differs.</summary>
    internal static double[] Distribution(int count) => Distributions[count] ??= Made(count);

    private static double[] Made(int count)
    {
        var probabilities = new double[Walsh(count) + 1];
        probabilities[0] = 1;
        for (var rank = 1; rank <= count; rank++)
        {
            for (var w = probabilities.Length - 1; w >= 0; w--)
                probabilities[w] = (probabilities[w] + (w >= rank ? probabilities[w - rank] : 0)) / 2;
        }
        return probabilities;
    }

    private static double TailProbability(int count, long sum) => count > MostExact
        ? Normal.Below((sum + 0.5 - Mean(count)) / Deviation(count))
        : Distribution(count).Take((int)sum + 1).Sum();

    private static long Walsh(int count) => (long)count * (count + 1) / 2;

    private static double Mean(int count) => count * (count + 1.0) / 4;

    private static double Deviation(int count) => Math.Sqrt(count * (count + 1.0) * (2 * count + 1) / 24);
}

public static class ChiSquared
{
    /// <summary>
    /// Computes P(X ≥ x) with these degrees of freedom, by the series of the incomplete gamma function (Abramowitz and Stegun 6.5.29).
    /// </summary>
    public static double Above(double x, int degrees)
    {
        if (x <= 0 || degrees == 0)
            return 1;
        var (a, half) = (degrees / 2.0, x / 2);
        // Chernoff's bound: here the probability is below 1e-16, and the sum would overflow for a large x.
        if (half > a && half - a - a * Math.Log(half / a) > 37)
            return 0;
        var (sum, term) = (1 / a, 1 / a);
        for (var i = 1; term > sum * 1e-15; i++)
            sum += term *= half / (a + i);
        return Math.Clamp(1 - sum * Math.Exp(a * Math.Log(half) - half - LogGamma(degrees)), 0, 1);
    }

    /// <summary>Computes ln Γ(degrees / 2), by Γ(x + 1) = x Γ(x) from Γ(1) = 1 and Γ(1/2) = √π.</summary>
    private static double LogGamma(int degrees)
    {
        var log = degrees % 2 == 0 ? 0 : Math.Log(Math.PI) / 2;
        for (var twice = degrees % 2 == 0 ? 2 : 1; twice < degrees; twice += 2)
            log += Math.Log(twice / 2.0);
        return log;
    }
}
