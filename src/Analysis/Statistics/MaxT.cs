namespace IpcBench.Analysis.Statistics;

/// <summary>
/// Simultaneous intervals of several means: alpha is the probability that at least one interval misses its mean. The
/// series are measured in the same rounds, so their noise is correlated. The correlation is estimated by flipping the
/// signs of whole rounds (Westfall and Young 1993, Resampling-Based Multiple Testing, max-T). A flip changes the signs
/// of the deviations of all series from their means in this round. Corrections that ignore the correlation, such as
/// Holm's or Bonferroni's, give wider intervals.
/// </summary>
public static class MaxT
{
    // Up to this number of rounds, all vectors of signs are used. With more rounds, a fixed sample of vectors is used.
    private const int MostExact = 12, Sampled = 2047;

    /// <summary>Computes an interval for each series, in the same order. Null for a series that has too few rounds.</summary>
    /// <param name="series">Values with the number of their round. A series may lack rounds that other series have.</param>
    /// <param name="alpha">The probability that at least one interval misses its mean.</param>
    public static Interval?[] Compute(IReadOnlyList<IReadOnlyList<(int Round, double Value)>> series, double alpha)
    {
        var fewest = SignedRank.FewestFor(alpha);
        var parts = series.Select(one => one.Count < fewest ? null : new Part(one)).ToList();
        var varied = parts.OfType<Part>().Where(part => part.Norm > 0).ToList();
        var critical = varied.Count == 0 ? 0 : Critical(varied, alpha);
        return [.. parts.Select(part => part?.IntervalAt(critical))];
    }

    /// <summary>Computes the quantile, over the vectors of signs, of the largest standardised sum of any series.</summary>
    private static double Critical(List<Part> parts, double alpha)
    {
        var rounds = parts.SelectMany(part => part.Rounds).Distinct().Order().ToList();
        // Each term gets the index of its round among all rounds, which is also the index of the round's sign.
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

    /// <summary>
    /// Lists vectors with a sign for each round. A vector and its opposite give the same result, so when all vectors
    /// are listed, the first sign is fixed.
    /// </summary>
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
            // Ratios that are equal may differ by rounding errors, which are no noise.
            if (Norm < 1e-12)
                Norm = 0;
        }

        public int[] Rounds { get; }

        public double[] Residuals { get; }

        /// <summary>Root of the sum of the squared residuals.</summary>
        public double Norm { get; }

        private double Mean { get; }

        /// <summary>
        /// Computes the interval from the critical sum c. Student's t² of a sum c is (n − 1)c² / (n − c²). Null with
        /// too few rounds.
        /// </summary>
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
