using System.Collections.Concurrent;

namespace IpcBench.Analysis.Statistics;

/// <summary>
/// A signed-rank test of several groups of differences together, which finds a small shift that all groups share. The
/// differences of each group are ranked among themselves, because the noise differs between groups, and the rank sums
/// are added. The results are exact (by convolution of the distributions of the groups) while the groups are small. For
/// larger groups, the normal approximation is used.
/// </summary>
public static class StratifiedRank
{
    private const int MostExact = 50, LongestExact = 700;

    // The distributions for groups of equal size, which almost every run has. A report needs each distribution several times.
    private static readonly ConcurrentDictionary<(int Count, int Groups), double[]> Known = new();

    /// <summary>
    /// Computes the two-sided p-value: the probability, when no group is shifted, of a rank sum at least as far from
    /// the middle as the rank sum of these groups.
    /// </summary>
    public static double PValue(IReadOnlyList<double[]> groups)
    {
        double[][] moved = [.. groups.Select(group => group.Where(d => d != 0).ToArray())];
        var (sum, most) = (SumOf(moved, 0), moved.Sum(group => Most(group.Length)));
        return Math.Min(1, 2 * Tail([.. moved.Select(group => group.Length)], Math.Min(sum, most - sum)));
    }

    /// <summary>Computes the smallest probability that <see cref="PValue"/> can return for groups of these sizes.</summary>
    public static double Lowest(IReadOnlyList<int> counts) => Math.Min(1, 2 * Tail([.. counts], 0));

    /// <summary>
    /// Estimates the common shift. After this shift is subtracted from all differences, the rank sum is in the middle
    /// of its range.
    /// </summary>
    public static double Estimate(IReadOnlyList<double[]> groups) =>
        ShiftAt(groups, groups.Sum(group => Most(group.Length)) / 2.0);

    /// <summary>Computes the interval of the shifts that the test does not reject. Null when there are too few differences.</summary>
    public static Interval? IntervalOf(IReadOnlyList<double[]> groups, double alpha)
    {
        int[] counts = [.. groups.Select(group => group.Length)];
        var most = groups.Sum(group => Most(group.Length));
        var critical = Critical(counts, alpha / 2);
        return critical < 0 ? null : new Interval(ShiftAt(groups, most - critical - 0.5), ShiftAt(groups, critical + 0.5));
    }

    private static long Most(int count) => (long)count * (count + 1) / 2;

    private static double SumOf(IEnumerable<double[]> groups, double shift) =>
        groups.Sum(group => SignedRank.RankSum([.. group.Select(d => d - shift)]).Sum);

    /// <summary>
    /// Finds the smallest shift that reduces the rank sum to at most <paramref name="sum"/> when this shift is
    /// subtracted from all differences. The rank sum never rises with the shift, so the search halves a range of
    /// shifts.
    /// </summary>
    private static double ShiftAt(IReadOnlyList<double[]> groups, double sum)
    {
        var (low, high) = (groups.Min(group => group.Min()), groups.Max(group => group.Max()));
        for (var i = 0; i < 60; i++)
        {
            var middle = (low + high) / 2;
            (low, high) = SumOf(groups, middle) > sum ? (middle, high) : (low, middle);
        }
        return (low + high) / 2;
    }

    /// <summary>Finds the largest sum s with P(S ≤ s) ≤ <paramref name="tail"/>. −1 if there is no such sum.</summary>
    private static long Critical(int[] counts, double tail)
    {
        if (IsLarge(counts))
            return (long)Math.Floor(Mean(counts) - 0.5 - Normal.Quantile(1 - tail) * Deviation(counts));
        var (probabilities, below) = (Distribution(counts), 0.0);
        for (var w = 0; w < probabilities.Length; w++)
        {
            below += probabilities[w];
            if (below > tail + 1e-12)
                return w - 1;
        }
        return -1;
    }

    // A tie can give half a rank. The sum is rounded towards the middle.
    private static double Tail(int[] counts, double sum) => IsLarge(counts)
        ? Normal.Below((sum + 0.5 - Mean(counts)) / Deviation(counts))
        : Distribution(counts).Take((int)Math.Ceiling(sum) + 1).Sum();

    private static bool IsLarge(int[] counts) => counts.Max() > MostExact || counts.Sum(Most) > LongestExact;

    private static double[] Distribution(int[] counts) => counts.Distinct().Count() == 1
        ? Known.GetOrAdd((counts[0], counts.Length), key => Convolved([.. Enumerable.Repeat(key.Count, key.Groups)])) : Convolved(counts);

    private static double[] Convolved(int[] counts)
    {
        double[] all = [1];
        foreach (var one in counts.Select(SignedRank.Distribution))
        {
            var next = new double[all.Length + one.Length - 1];
            for (var i = 0; i < all.Length; i++)
            {
                for (var j = 0; j < one.Length; j++)
                    next[i + j] += all[i] * one[j];
            }
            all = next;
        }
        return all;
    }

    private static double Mean(int[] counts) => counts.Sum(Most) / 2.0;

    private static double Deviation(int[] counts) => Math.Sqrt(counts.Sum(n => n * (n + 1.0) * (2 * n + 1) / 24));
}
