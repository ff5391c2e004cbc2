namespace IpcBench.Analysis.Statistics;

/// <summary>
/// Many tests of one run, and at most one chance in twenty that any of them is wrong: Holm's step-down correction (Holm 1979, A simple
/// sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6), which asks nothing of how the tests depend on
/// each other.
/// </summary>
public static class Holm
{
    /// <summary>
    /// Each probability as it counts among all of them: at most alpha where its claim may be made at level alpha. In the given order.
    /// </summary>
    public static double[] Adjust(IReadOnlyList<double> probabilities)
    {
        var (adjusted, highest, left) = (new double[probabilities.Count], 0.0, probabilities.Count);
        foreach (var (index, probability) in probabilities.Index().OrderBy(entry => entry.Item))
        {
            highest = Math.Max(highest, Math.Min(1, left-- * probability));
            adjusted[index] = highest;
        }
        return adjusted;
    }

    /// <summary>
    /// The fewest rounds with which any of so many signed-rank tests can be significant: the smallest probability that n rounds can give
    /// is 2^(1−n), and the first step asks for alpha / tests.
    /// </summary>
    public static int FewestRounds(int tests, double alpha) => SignedRank.FewestFor(alpha / Math.Max(1, tests));
}
