namespace IpcBench.Analysis.Statistics;

/// <summary>The verdict on a ratio, and what a clearer verdict needs.</summary>
public sealed record Verdict
{
    public required RatioEstimate Estimate { get; init; }

    public required VerdictKind Kind { get; init; }

    /// <summary>
    /// The largest difference that the interval contains, e.g. 0.02. Set for <see cref="VerdictKind.NoDifference"/>,
    /// and for a winner whose lead is too small to matter.
    /// </summary>
    public double LargestDifference { get; init; }

    /// <summary>There is a winner, but the whole interval lies within what does not matter.</summary>
    public bool IsTooLittle { get; private init; }

    /// <summary>
    /// There is a winner, but its lead is less than 1.5 times half the width of the interval. Such a difference is probably smaller than
    /// the estimate, because noise helped to make it significant. The factor of 1.5 is a rule of thumb.
    /// </summary>
    public bool IsOnlyJust => Kind is VerdictKind.Higher or VerdictKind.Lower && Estimate.Interval is { } interval
        && Math.Abs(Math.Log(Estimate.Ratio)) < 0.75 * Math.Log(interval.High / interval.Low);

    /// <summary>Why there is no verdict whatever the interval; empty when the interval decides.</summary>
    public string Withheld { get; private init; } = "";

    /// <summary>The smallest number of rounds that can have a winner.</summary>
    public int FewestRounds { get; private init; }

    /// <summary>For <see cref="VerdictKind.CannotTell"/>: about how many more rounds would decide; null when unknown.</summary>
    public MoreRounds? MoreRounds { get; private init; }

    /// <summary>The drift between the two runs, as a logarithm, if it prevents a verdict however many rounds there are; else 0.</summary>
    public double HiddenByDrift { get; private init; }

    /// <summary>The smallest number of rounds at the stricter level for added rounds.</summary>
    private int FewestRoundsThen { get; init; }

    /// <summary>How many more rounds a verdict needs; 0 if there are enough.</summary>
    public int RoundsMissing => Estimate.Rounds >= FewestRounds ? 0 : Math.Max(FewestRounds, FewestRoundsThen) - Estimate.Rounds;

    /// <summary>
    /// The number of rounds with which a new run could have a verdict, if that is fewer than with added rounds: a user
    /// who requests more rounds has looked at the results, and the intervals are then corrected for looks. Null if it
    /// makes no difference, or no rounds are missing.
    /// </summary>
    public int? RoundsAtOnce => RoundsMissing > 0 && FewestRoundsThen > FewestRounds ? FewestRounds : null;

    /// <summary>The verdict from an interval: on which side of 1 it lies, or whether it lies completely too near to 1 to matter.</summary>
    /// <param name="estimate">The measured ratio with the simultaneous interval of its family.</param>
    /// <param name="delta">Smaller differences than this (0.03 is 3 %) do not matter.</param>
    /// <param name="claims">The number of comparisons that share the level.</param>
    public static Verdict From(RatioEstimate estimate, double delta, int claims = 1)
    {
        // A user who requests more rounds has looked at the results.
        var open = new Verdict
        {
            Estimate = estimate,
            Kind = VerdictKind.CannotTell,
            FewestRounds = estimate.FewestRounds,
            FewestRoundsThen = estimate.Error > 0 ? Joint.FewestRounds(isLookedAt: true, claims) : 0,
        };
        // The ratio is computed from the positive values alone, so it is no verdict when values of 0 were left out.
        if (estimate.LeftOut > 0 || estimate.Interval is not { } interval)
            return open;
        var largest = Math.Max(1 - interval.Low, interval.High - 1);
        if (!interval.Contains(1))
            return open with
            {
                Kind = interval.Low > 1 ? VerdictKind.Higher : VerdictKind.Lower,
                LargestDifference = largest,
                IsTooLittle = largest <= delta,
            };
        return largest <= delta
            ? open with { Kind = VerdictKind.NoDifference, LargestDifference = largest }
            : IsHiddenByDrift(estimate, delta) ? open with { HiddenByDrift = estimate.Drift }
            : open with { LargestDifference = largest, MoreRounds = Statistics.MoreRounds.Estimate(estimate, delta, claims) };
    }

    /// <summary>The same ratio without a verdict, for this reason.</summary>
    /// <param name="why">The reason as a clause.</param>
    public Verdict Without(string why) =>
        this with
        {
            Kind = VerdictKind.CannotTell,
            Withheld = why,
            IsTooLittle = false,
            LargestDifference = 0,
            MoreRounds = null,
        };

    // Without noise the interval would be the estimate ± the drift.
    private static bool IsHiddenByDrift(RatioEstimate estimate, double delta) =>
        Math.Abs(Math.Log(estimate.Ratio)) is var shift && shift <= estimate.Drift && shift + estimate.Drift > Math.Log(1 + delta);
}

/// <summary>The verdicts; a winner is <see cref="Higher"/> or <see cref="Lower"/>.</summary>
public enum VerdictKind
{
    /// <summary>The whole interval lies above 1.</summary>
    Higher,

    /// <summary>The whole interval lies below 1.</summary>
    Lower,

    /// <summary>The interval contains 1 and lies within what does not matter.</summary>
    NoDifference,

    /// <summary>None of these: more rounds are needed.</summary>
    CannotTell,
}

/// <summary>
/// About how many more rounds would decide, as a range. With six rounds a single number is too uncertain: samples of
/// the same truth gave 5 to 74. Below ten rounds there is no estimate.
/// </summary>
/// <param name="Least">If the difference and its noise are at the favourable ends of their likely ranges.</param>
/// <param name="Most">If they are at the unfavourable ends; <see cref="Many"/> means "too many to name".</param>
public sealed record MoreRounds(int Least, int Most)
{
    /// <summary>More rounds than this are not named: the difference is too small for this machine.</summary>
    public const int Many = 1000;

    /// <summary>The smallest number of rounds with an estimate.</summary>
    public const int FewestRounds = 10;

    /// <summary>
    /// The estimate by a confidence sequence of so many comparisons: the number of rounds after which it is narrow enough to exclude 1, if
    /// the ratio stays the same, or to fit within delta. Ratio and noise are each taken at both ends of their middle 80 %.
    /// </summary>
    internal static MoreRounds? Estimate(RatioEstimate estimate, double delta, int claims)
    {
        var n = estimate.Rounds;
        if (n < FewestRounds || estimate.Error == 0)
            return null;
        var effect = Math.Abs(Math.Log(estimate.Ratio));
        const double Quantile = 1.2816;
        var shift = estimate.Error * Quantile;
        // The standard deviation of a standard deviation, for normal noise.
        var spread = Quantile / Math.Sqrt(2.0 * (n - 1));
        var ends = from e in new[] { Math.Max(0, effect - shift), effect, effect + shift }
                   from noise in new[] { 1 - Math.Min(spread, 0.9), 1 + spread }
                   let half = Math.Max(e, Math.Log(1 + delta) - e)
                   select Math.Clamp(Needed(half / (estimate.Error * Math.Sqrt(n) * noise), claims) - n, 1, Many);
        var all = ends.ToList();
        return new MoreRounds(all.Min(), all.Max());
    }

    /// <summary>Rounds after which half the width of the interval is at most this many standard deviations of a round.</summary>
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
