namespace IpcBench.Analysis.Statistics;

/// <summary>
/// An estimate of how many more rounds a verdict needs, as a range. A single number would be too uncertain: after six
/// rounds, simulations with the same true ratio gave numbers from 5 to 74. With fewer than ten rounds there is no
/// estimate.
/// </summary>
/// <param name="Least">The number if the difference and its noise are at the favourable ends of their likely ranges.</param>
/// <param name="Most">
/// The number if the difference and its noise are at the unfavourable ends. <see cref="Many"/> means "too many to name".
/// </param>
public sealed record MoreRounds(int Least, int Most)
{
    /// <summary>
    /// The largest number that reports show. If more rounds are needed, the difference is too small for this machine.
    /// </summary>
    public const int Many = 1000;

    /// <summary>The smallest number of measured rounds that allows an estimate.</summary>
    public const int FewestRounds = 10;

    /// <summary>
    /// Estimates after how many more rounds the interval excludes 1 or lies within ±delta. The interval is that of a
    /// confidence sequence whose alpha is divided by <paramref name="claims"/>. The estimate is a range: the ratio and
    /// the noise are each taken at both ends of their 80 % intervals. Null without noise, for unpaired or too few rounds.
    /// </summary>
    internal static MoreRounds? Estimate(RatioEstimate estimate, double delta, int claims)
    {
        var n = estimate.Rounds;
        if (n < FewestRounds || estimate.Error == 0)
            return null;
        var effect = Math.Abs(Math.Log(estimate.Ratio));
        const double Quantile = 1.2816;
        var shift = estimate.Error * Quantile;
        // For normal noise, the relative standard error of a standard deviation is 1 / √(2 (n − 1)).
        var spread = Quantile / Math.Sqrt(2.0 * (n - 1));
        var ends = from e in new[] { Math.Max(0, effect - shift), effect, effect + shift }
                   from noise in new[] { 1 - Math.Min(spread, 0.9), 1 + spread }
                   let half = Math.Max(e, Math.Log(1 + delta) - e)
                   select Math.Clamp(Needed(half / (estimate.Error * Math.Sqrt(n) * noise), claims) - n, 1, Many);
        var all = ends.ToList();
        return new MoreRounds(all.Min(), all.Max());
    }

    /// <summary>
    /// Computes the number of rounds after which half the width of the interval is at most <paramref name="half"/>
    /// standard deviations of a round.
    /// </summary>
    private static int Needed(double half, int claims)
    {
        var (low, high) = (1, 4 * Many);
        while (high - low > 1)
        {
            var middle = (low + high) / 2;
            var isEnough = ConfidenceSequence.Multiplier(middle, Joint.Alpha / claims) is { } multiplier
                && multiplier / Math.Sqrt(middle) <= half;
            (low, high) = isEnough ? (low, middle) : (middle, high);
        }
        return high;
    }
}
