using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Comparison;

/// <summary>
/// The A/A test: the reference is also measured at a second endpoint, and the two endpoints must not differ. Three
/// tests over all cells of the second endpoint share a level of 1 %. The first test has half of the level and finds a
/// shift that all cells have in common. The second test has a quarter and uses the sum of the squared standardised rank
/// sums, which is large if many cells differ a little in any direction. The third test has a quarter and uses the
/// largest rank sum, which is large if one cell differs much. The interval of the common shift shows how large a
/// systematic error may be.
/// </summary>
/// <param name="Cells">The number of compared A/A cells.</param>
/// <param name="PValue">The probability of differences at least this large when nothing differs.</param>
/// <param name="CanFail">Whether the rounds are enough for a p-value at or below the level, so that the test can fail.</param>
/// <param name="Shift">
/// The ratio second endpoint / reference that all cells have in common, with its 95 % interval. Null when there are too
/// few rounds.
/// </param>
public sealed record AaTest(int Cells, double PValue, bool CanFail, (double Ratio, Interval Interval)? Shift)
{
    public const double Level = 0.01;

    /// <summary>The part of <see cref="CellKey.Variant"/> that marks cells of the reference's second endpoint.</summary>
    public const string Variant = ReferenceChoice.SecondMark;

    private const int MostExact = 9;

    public bool Failed => PValue <= Level;

    public static bool IsAa(CellKey key) => key.Variant.Split(' ').Contains(Variant);

    /// <summary>Tests the A/A cells of a run. Null when the run has no A/A cells with rounds.</summary>
    public static AaTest? Compute(MeasuredRun run) => Compute([run], _ => true);

    /// <summary>Tests the chosen A/A cells of several runs together. Null when no run has such cells with rounds.</summary>
    public static AaTest? Compute(IEnumerable<MeasuredRun> runs, Func<CellKey, bool> chosen)
    {
        var cells = (from run in runs
                     from cell in run.Cells
                     where IsAa(cell.Key) && chosen(cell.Key)
                     let differences = Differences(run, cell)
                     where differences.Length > 0
                     select differences).ToList();
        return cells.Count == 0 ? null : OfDifferences(cells);
    }

    /// <summary>Tests cells. Each array holds the log ratios of the rounds of one cell.</summary>
    public static AaTest OfDifferences(IReadOnlyList<double[]> cells)
    {
        var scores = cells.Select(Score).ToList();
        var counts = cells.Select(cell => cell.Count(d => d != 0)).ToList();
        var largest = 1 - Math.Pow(1 - cells.Min(cell => SignedRank.PValue(cell)), cells.Count);
        var best = 1 - Math.Pow(1 - counts.Min(n => Math.Min(1, Math.Pow(2, 1 - n))), cells.Count);
        var common = StratifiedRank.PValue(cells);
        var lowest = Math.Min(4 * Math.Min(best, SumTail(counts.Sum(n => Square(0, n)), counts)), 2 * StratifiedRank.Lowest(counts));
        return new AaTest(cells.Count, Math.Min(1, Math.Min(2 * common, 4 * Math.Min(largest, SumTail(scores.Sum(), counts)))),
            lowest <= Level, StratifiedRank.IntervalOf(cells, 0.05) is { } interval
                ? (Math.Exp(StratifiedRank.Estimate(cells)), interval.Exp()) : null);
    }

    /// <summary>Tells whether the test passed and the interval of the common shift lies within ±delta.</summary>
    public bool IsEqualWithin(double delta) =>
        !Failed && Shift is { Interval: var interval } && interval.Low >= 1 / (1 + delta) && interval.High <= 1 + delta;

    /// <summary>The shift and its interval as changes: <c>−1.4 % [−2.5 %, −0.4 %]</c>. A dash when there is no interval.</summary>
    public string Measured => Shift is { } shift
        ? $"{Quantity.Change(shift.Ratio)} [{Quantity.Change(shift.Interval.Low)}, {Quantity.Change(shift.Interval.High)}]" : Quantity.None;

    /// <summary>Writes the conclusion of a test that did not fail.</summary>
    /// <param name="reference">The arm that was measured twice.</param>
    /// <param name="delta">Differences smaller than this value do not matter.</param>
    /// <param name="over">The tested cells as text: <c>3 cells</c>.</param>
    public string Sentence(string reference, double delta, string over) => IsEqualWithin(delta)
        ? $"A/A passed: {reference} against itself is equal within ±{Quantity.Percent(delta)} over {over}: {Measured}."
        : $"A/A not decided: {reference} against itself is {Measured} over {over}: these rounds show no difference, but cannot "
            + $"exclude one of {Quantity.Percent(delta)}.";

    // The test uses the same ratios as the verdicts: where arms took turns in slices, the ratio of a round is that of its slices.
    private static double[] Differences(MeasuredRun run, MeasuredCell cell) => run.ReferenceOf(cell) is not { } reference ? []
        : [.. RoundPairs.Match(cell, reference, ArmComparison.Headline(cell)).Where(pair => pair.HasRatio).Select(pair => pair.Log)];

    private static double Score(double[] differences)
    {
        var (sum, count) = SignedRank.RankSum([.. differences.Where(d => d != 0)]);
        return Square(sum, count);
    }

    private static double Square(double rankSum, int count) => count == 0 ? 0
        : Math.Pow(rankSum - count * (count + 1) / 4.0, 2) / (count * (count + 1.0) * (2 * count + 1) / 24);

    /// <summary>
    /// Computes the probability of a sum of squares at least this large when nothing differs. The probability is exact
    /// (by convolution) if at most 24 cells all have the same small number of rounds. Otherwise the chi-squared
    /// distribution is used.
    /// </summary>
    private static double SumTail(double sum, List<int> counts)
    {
        var count = counts[0];
        if (count > MostExact || counts.Exists(n => n != count) || counts.Count > 24)
            return ChiSquared.Above(sum, counts.Count(n => n > 0));
        // Twice the distance of a rank sum from its middle is an integer. The square of this integer is an array index.
        var most = count * (count + 1) / 2;
        var one = new double[most * most + 1];
        foreach (var (w, probability) in SignedRank.Distribution(count).Index())
            one[(2 * w - most) * (2 * w - most)] += probability;
        var filled = Enumerable.Range(0, one.Length).Where(i => one[i] > 0).ToArray();
        var all = new double[] { 1 };
        for (var cell = 0; cell < counts.Count; cell++)
        {
            var next = new double[all.Length + most * most];
            for (var i = 0; i < all.Length; i++)
            {
                foreach (var j in all[i] > 0 ? filled : [])
                    next[i + j] += all[i] * one[j];
            }
            all = next;
        }
        var reached = sum * 4 * (count * (count + 1.0) * (2 * count + 1) / 24);
        return all.Skip((int)Math.Ceiling(reached - 1e-6)).Sum();
    }
}
