namespace IpcBench.Analysis.Statistics;

/// <summary>
/// An interval that may be looked at after every round: the probability that it misses the mean at any look, however many there are, is
/// alpha. It is the t-mixture sequence with the right-Haar prior on the standard deviation and a normal prior on effect / deviation (Lai
/// 1976, On confidence sequences, Annals of Statistics 4; Wang and Ramdas 2024, Anytime-valid t-tests and confidence sequences for Gaussian
/// means with unknown variance).
/// </summary>
public static class ConfidenceSequence
{
    // Variance of effect / deviation: differences as large as the spread of a round are what the sequence is made for.
    private const double Prior = 1;

    /// <summary>Of values in the order in which they were measured; null while nothing can be excluded.</summary>
    public static Interval? Of(IReadOnlyCollection<double> values, double alpha)
    {
        if (Multiplier(values.Count, alpha) is not { } multiplier)
            return null;
        var (n, mean) = (values.Count, values.Average());
        var half = multiplier * Math.Sqrt(values.Sum(value => (value - mean) * (value - mean)) / (n - 1) / n);
        return new Interval(mean - half, mean + half);
    }

    /// <summary>Half the interval in standard errors of the mean; null while it has no end.</summary>
    public static double? Multiplier(int count, double alpha)
    {
        if (count < 2)
            return null;
        var (a, k) = (1 / (1 + count * Prior), Math.Pow(Math.Sqrt(1 + count * Prior) / alpha, 2.0 / count));
        return a * k >= 1 ? null : Math.Sqrt((count - 1) * (k - 1) / (1 - a * k));
    }

    /// <summary>The fewest values that can have an interval.</summary>
    public static int FewestFor(double alpha) => Enumerable.Range(2, 1000).First(count => Multiplier(count, alpha) != null);
}
