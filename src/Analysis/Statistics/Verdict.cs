namespace IpcBench.Analysis.Statistics;

/// <summary>What may be said of a ratio, and what it would take to say more.</summary>
public sealed record Verdict
{
    public required RatioEstimate Estimate { get; init; }

    public required VerdictKind Kind { get; init; }

    /// <summary>
    /// The largest difference that the interval leaves, e.g. 0.02: of <see cref="VerdictKind.NoDifference"/>, and where one is ahead by too
    /// little to matter.
    /// </summary>
    public double LargestDifference { get; init; }

    /// <summary>One is ahead, and the whole interval lies within what does not matter.</summary>
    public bool IsTooLittle { get; private init; }

    /// <summary>
    /// One is ahead, and by less than one and a half half widths of the interval. A difference that is found so narrowly is likely
    /// smaller than the estimate, since noise had to help it over the line. The factor of 1.5 is a rule of thumb.
    /// </summary>
    public bool IsOnlyJust => Kind is VerdictKind.Higher or VerdictKind.Lower && Estimate.Interval is { } interval
        && Math.Abs(Math.Log(Estimate.Ratio)) < 0.75 * Math.Log(interval.High / interval.Low);

    /// <summary>Why nothing is said whatever the interval; empty where the interval decides.</summary>
    public string Withheld { get; private init; } = "";

    /// <summary>The fewest rounds that can name a winner at all.</summary>
    public int FewestRounds { get; private init; }

    /// <summary>Of <see cref="VerdictKind.CannotTell"/>: about how many more rounds would decide; null where that cannot be said.</summary>
    public MoreRounds? MoreRounds { get; private init; }

    /// <summary>
    /// However many rounds there were, the drift between the two runs alone keeps this from being decided; it is a logarithm, 0 otherwise.
    /// </summary>
    public double HiddenByDrift { get; private init; }

    /// <summary>The fewest at the level at which more rounds would be judged.</summary>
    private int FewestRoundsThen { get; init; }

    /// <summary>Rounds that are missing for any verdict; 0 when there are enough.</summary>
    public int RoundsMissing => Estimate.Rounds >= FewestRounds ? 0 : Math.Max(FewestRounds, FewestRoundsThen) - Estimate.Rounds;

    /// <summary>
    /// With how many rounds of one go a verdict would be possible, where that is fewer than with rounds that are added: whoever asks for
    /// more has looked, and is judged more strictly. Null where it makes no difference, or none are missing.
    /// </summary>
    public int? RoundsAtOnce => RoundsMissing > 0 && FewestRoundsThen > FewestRounds ? FewestRounds : null;

    /// <summary>The verdict of an interval: which side of 1 it lies on, or whether all of it is too near to 1 to matter.</summary>
    /// <param name="estimate">What was measured, with the interval that holds together with the others of its family.</param>
    /// <param name="delta">Differences smaller than this (0.03 is 3 %) do not matter.</param>
    /// <param name="claims">Comparisons that share the level.</param>
    public static Verdict Of(RatioEstimate estimate, double delta, int claims = 1)
    {
        // Whoever asks for more rounds has looked.
        var open = new Verdict
        {
            Estimate = estimate,
            Kind = VerdictKind.CannotTell,
            FewestRounds = estimate.FewestRounds,
            FewestRoundsThen = estimate.Error > 0 ? Joint.FewestRounds(isLookedAt: true, claims) : 0,
        };
        // The ratio is of the rounds that went well; those with a value of 0 are missing from it.
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
            : open with { LargestDifference = largest, MoreRounds = Statistics.MoreRounds.Of(estimate, delta, claims) };
    }

    /// <summary>The same where something speaks against any verdict.</summary>
    /// <param name="why">A clause.</param>
    public Verdict Without(string why) =>
        this with
        {
            Kind = VerdictKind.CannotTell,
            Withheld = why,
            IsTooLittle = false,
            LargestDifference = 0,
            MoreRounds = null,
        };

    // With no noise left the interval would be the estimate ± the drift.
    private static bool IsHiddenByDrift(RatioEstimate estimate, double delta) =>
        Math.Abs(Math.Log(estimate.Ratio)) is var shift && shift <= estimate.Drift && shift + estimate.Drift > Math.Log(1 + delta);
}

/// <summary>The three verdicts, the first of them by its direction.</summary>
public enum VerdictKind
{
    /// <summary>The whole interval lies above 1.</summary>
    Higher,

    /// <summary>The whole interval lies below 1.</summary>
    Lower,

    /// <summary>The interval holds 1 and lies within what does not matter.</summary>
    NoDifference,

    /// <summary>Neither: more rounds are needed.</summary>
    CannotTell,
}

/// <summary>
/// About how many more rounds would decide, from few to many. One truth gave guesses from 5 to 74 when it was one number of six rounds: so
/// it is a range, and nothing is said below ten rounds.
/// </summary>
/// <param name="Least">If the difference and its noise lie at the favourable ends of what the rounds make likely.</param>
/// <param name="Most">At the other ends; <see cref="Many"/> and more are not worth naming.</param>
public sealed record MoreRounds(int Least, int Most)
{
    /// <summary>More rounds than this are not worth naming: the difference is too small for this machine.</summary>
    public const int Many = 1000;

    /// <summary>Rounds below which nothing is said.</summary>
    public const int FewestRounds = 10;

    /// <summary>
    /// As a confidence sequence of so many comparisons would judge them: after how many rounds it is narrow enough either to leave 1 out,
    /// where the estimate stays what it is, or to fit within delta. Estimate and noise are each taken at both ends of their middle 80 %.
    /// </summary>
    internal static MoreRounds? Of(RatioEstimate estimate, double delta, int claims)
    {
        var n = estimate.Rounds;
        if (n < FewestRounds || estimate.Error == 0)
            return null;
        var effect = Math.Abs(Math.Log(estimate.Ratio));
        const double Quantile = 1.2816;
        var shift = estimate.Error * Quantile;
        // The standard deviation of a standard deviation, of normal noise.
        var spread = Quantile / Math.Sqrt(2.0 * (n - 1));
        var ends = from e in new[] { Math.Max(0, effect - shift), effect, effect + shift }
                   from noise in new[] { 1 - Math.Min(spread, 0.9), 1 + spread }
                   let half = Math.Max(e, Math.Log(1 + delta) - e)
                   select Math.Clamp(Needed(half / (estimate.Error * Math.Sqrt(n) * noise), claims) - n, 1, Many);
        var all = ends.ToList();
        return new MoreRounds(all.Min(), all.Max());
    }

    /// <summary>Rounds after which half the interval is no more than so many standard deviations of a round.</summary>
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
