namespace IpcBench.Analysis.Statistics;

/// <summary>
/// An interval that may be looked at after every round. Alpha is the probability that the interval misses the mean at
/// any of these looks, however many there are. The interval is the t-mixture sequence with the right-Haar prior on the
/// standard deviation and a normal prior on effect / deviation (Lai 1976, On confidence sequences, Annals of Statistics
/// 4; Wang and Ramdas 2024, Anytime-valid t-tests and confidence sequences for Gaussian means with unknown variance).
/// </summary>
public static class ConfidenceSequence
{
    // The variance of the normal prior on effect / deviation. With 1, the intervals are shortest when the effect is
    // about as large as the standard deviation of a round.
    private const double Prior = 1;

    /// <summary>Computes the interval of values in the order of measuring. Null while its width is infinite.</summary>
    public static Interval? Compute(IReadOnlyCollection<double> values, double alpha)
    {
        if (Multiplier(values.Count, alpha) is not { } multiplier)
            return null;
        var (n, mean) = (values.Count, values.Average());
        var half = multiplier * Math.Sqrt(values.Sum(value => (value - mean) * (value - mean)) / (n - 1) / n);
        return new Interval(mean - half, mean + half);
    }

    /// <summary>Computes half the width of the interval, in standard errors of the mean. Null while the interval is infinite.</summary>
    public static double? Multiplier(int count, double alpha)
    {
        if (count < 2)
            return null;
        var (a, k) = (1 / (1 + count * Prior), Math.Pow(Math.Sqrt(1 + count * Prior) / alpha, 2.0 / count));
        return a * k >= 1 ? null : Math.Sqrt((count - 1) * (k - 1) / (1 - a * k));
    }

    /// <summary>Returns the smallest number of values that gives a finite interval.</summary>
    public static int FewestFor(double alpha) => Enumerable.Range(2, 1000).First(count => Multiplier(count, alpha) is not null);
}
