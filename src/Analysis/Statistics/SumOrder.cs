namespace IpcBench.Analysis.Statistics;

/// <summary>
/// Finds the k-th smallest sum of two numbers without computing all sums, because a thousand rounds have half a million
/// sums. The search counts the sums up to a guess with two pointers, and halves the range of the guess (Johnson and
/// Mizoguchi 1978 count in this way but choose guesses differently).
/// </summary>
internal static class SumOrder
{
    /// <summary>Finds the k-th smallest (k from 1) of the n(n+1)/2 averages (a[i] + a[j]) / 2 with i ≤ j (Walsh averages).</summary>
    public static double WalshAverage(double[] sorted, long k) =>
        Search(sorted[0], sorted[^1], guess => CountWalsh(sorted, guess) >= k);

    /// <summary>Finds the k-th smallest (k from 1) of the n·m differences b[j] − a[i].</summary>
    public static double Difference(double[] sortedA, double[] sortedB, long k) =>
        Search(sortedB[0] - sortedA[^1], sortedB[^1] - sortedA[0], guess => CountDifferences(sortedA, sortedB, guess) >= k);

    /// <summary>Computes the median of <paramref name="count"/> values. <paramref name="kth"/> returns the k-th smallest.</summary>
    public static double Median(long count, Func<long, double> kth) =>
        count % 2 == 1 ? kth((count + 1) / 2) : (kth(count / 2) + kth(count / 2 + 1)) / 2;

    private static double Search(double low, double high, Func<double, bool> enough)
    {
        // 100 halvings reduce any range of logarithms to neighbouring doubles.
        for (var i = 0; i < 100 && low < high; i++)
        {
            var middle = low + (high - low) / 2;
            if (middle <= low || middle >= high)
                break;
            if (enough(middle))
                high = middle;
            else
                low = middle;
        }
        return enough(low) ? low : high;
    }

    private static long CountWalsh(double[] sorted, double limit)
    {
        var (count, j) = (0L, sorted.Length - 1);
        for (var i = 0; i < sorted.Length; i++)
        {
            while (j >= 0 && (sorted[i] + sorted[j]) / 2 > limit)
                j--;
            // Counts the pairs of i with the indexes from i to j. The pairs with smaller indexes were counted before.
            count += Math.Max(0, j - i + 1);
        }
        return count;
    }

    private static long CountDifferences(double[] sortedA, double[] sortedB, double limit)
    {
        var (count, j) = (0L, 0);
        foreach (var a in sortedA)
        {
            while (j < sortedB.Length && sortedB[j] - a <= limit)
                j++;
            count += j;
        }
        return count;
    }
}
