namespace IpcBench.Analysis.Statistics;

/// <summary>
/// Intervals of several means that hold together: the probability that any of them misses its mean is alpha. The series are measured in the
/// same rounds, so their noise goes together; how much is found by turning the signs of whole rounds (Westfall and Young 1993,
/// Resampling-Based Multiple Testing, max-T; the sign is that of the round's distance from the mean). A correction that knows nothing of
/// how the series go together, as Holm's or Bonferroni's, makes wider intervals.
/// </summary>
public static class MaxT
{
    // All sign vectors up to so many rounds, a fixed sample of them above.
    private const int MostExact = 12, Sampled = 2047;

    /// <summary>One interval for each series, in their order; null where its rounds are fewer than an interval needs.</summary>
    /// <param name="series">Values by the number of their round; a series may miss rounds that others have.</param>
    /// <param name="alpha">Probability with which any of the intervals may miss its mean.</param>
    public static Interval?[] Of(IReadOnlyList<IReadOnlyList<(int Round, double Value)>> series, double alpha)
    {
        var fewest = SignedRank.FewestFor(alpha);
        var parts = series.Select(one => one.Count < fewest ? null : new Part(one)).ToList();
        var varied = parts.OfType<Part>().Where(part => part.Norm > 0).ToList();
        var critical = varied.Count == 0 ? 0 : Critical(varied, alpha);
        return [.. parts.Select(part => part?.IntervalAt(critical))];
    }

    /// <summary>The quantile of the largest standardised sum over all series.</summary>
    private static double Critical(List<Part> parts, double alpha)
    {
        var rounds = parts.SelectMany(part => part.Rounds).Distinct().Order().ToList();
        // Each round by its place among all rounds.
        var terms = parts.ConvertAll(part => part.Rounds.Zip(part.Residuals, (round, residual) =>
            (Round: rounds.BinarySearch(round), Share: residual / part.Norm)).ToArray());
        var largest = new List<double>();
        foreach (var signs in Signs(rounds.Count))
        {
            var most = 0.0;
            foreach (var part in terms)
            {
                var sum = 0.0;
                foreach (var (round, share) in part)
                    sum += signs[round] ? share : -share;
                most = Math.Max(most, Math.Abs(sum));
            }
            largest.Add(most);
        }
        largest.Sort();
        return largest[Math.Max(0, (int)Math.Ceiling((1 - alpha) * largest.Count - 1e-9) - 1)];
    }

    /// <summary>Signs of the rounds; one vector and its opposite give the same sums, so the first round keeps its sign.</summary>
    private static IEnumerable<bool[]> Signs(int rounds)
    {
        var signs = new bool[rounds];
        if (rounds <= MostExact)
        {
            for (var bits = 0; bits < 1 << (rounds - 1); bits++)
            {
                for (var i = 1; i < rounds; i++)
                    signs[i] = (bits >> (i - 1) & 1) == 1;
                yield return signs;
            }
            yield break;
        }
        var random = new Random(20260901);
        for (var i = 0; i < Sampled; i++)
        {
            for (var round = 0; round < rounds; round++)
                signs[round] = random.Next(2) == 0;
            yield return signs;
        }
    }

    private sealed class Part
    {
        public Part(IReadOnlyList<(int Round, double Value)> series)
        {
            Rounds = [.. series.Select(one => one.Round)];
            Mean = series.Average(one => one.Value);
            Residuals = [.. series.Select(one => one.Value - Mean)];
            Norm = Math.Sqrt(Residuals.Sum(residual => residual * residual));
            // Equal ratios differ in their last digit only.
            if (Norm < 1e-12)
                Norm = 0;
        }

        public int[] Rounds { get; }

        public double[] Residuals { get; }

        /// <summary>Root of the sum of squares.</summary>
        public double Norm { get; }

        private double Mean { get; }

        /// <summary>Student's statistic of the same sum: (n − 1)c² / (n − c²).</summary>
        public Interval? IntervalAt(double critical)
        {
            var n = Rounds.Length;
            if (Norm == 0)
                return new Interval(Mean, Mean);
            if (critical * critical >= n)
                return null;
            var half = Norm / Math.Sqrt(n) * critical / Math.Sqrt(n - critical * critical);
            return new Interval(Mean - half, Mean + half);
        }
    }
}
