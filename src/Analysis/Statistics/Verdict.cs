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
    /// Number of comparisons that share one level, where it is they that keep this one from being decided; 0 otherwise.
    /// </summary>
    public int AmongClaims { get; private init; }

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

    /// <summary>The verdict of one comparison alone.</summary>
    /// <param name="estimate">What was measured.</param>
    /// <param name="delta">Differences smaller than this (0.03 is 3 %) do not matter.</param>
    /// <param name="next">The level at which more rounds would be judged; null: that of the estimate.</param>
    /// <param name="claims">Comparisons that share that level.</param>
    public static Verdict Of(RatioEstimate estimate, double delta, double? next = null, int claims = 1)
    {
        var open = new Verdict { Estimate = estimate, Kind = VerdictKind.CannotTell, FewestRounds = estimate.FewestRounds };
        if (next is { } level)
            open = open with { FewestRoundsThen = Holm.FewestRounds(claims, level) };
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
            : open with
            {
                MoreRounds = Statistics.MoreRounds.Of(estimate, interval, delta, next ?? 1 - estimate.Confidence, claims),
            };
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
            AmongClaims = 0,
            MoreRounds = null,
        };

    // With no noise left the interval would be the estimate ± the drift.
    private static bool IsHiddenByDrift(RatioEstimate estimate, double delta) =>
        Math.Abs(Math.Log(estimate.Ratio)) is var shift && shift <= estimate.Drift && shift + estimate.Drift > Math.Log(1 + delta);

    /// <summary>
    /// The same as one of many comparisons, of which a winner is named only where all of them together allow it. That no difference matters
    /// names no winner, and stays.
    /// </summary>
    public Verdict Among(int claims, int fewestRounds, bool allowed)
    {
        var fewest = this with { FewestRounds = Math.Max(FewestRounds, fewestRounds) };
        if (allowed || Kind is not (VerdictKind.Higher or VerdictKind.Lower))
            return fewest;
        return IsTooLittle ? fewest with { Kind = VerdictKind.NoDifference, IsTooLittle = false }
            : fewest with { Kind = VerdictKind.CannotTell, AmongClaims = claims, LargestDifference = 0 };
    }
}

/// <summary>The three verdicts, the first of them by its direction.</summary>
public enum VerdictKind
{
    /// <summary>The whole interval lies above 1.</summary>
    Higher,

    /// <summary>The whole interval lies below 1.</summary>
    Lower,

    /// <summary>The interval holds 1, or the family of comparisons names no winner, and it lies within what does not matter.</summary>
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
    /// The interval narrows with the square root of the rounds. It decides when it is narrow enough either to leave 1 out, where the
    /// estimate stays what it is, or to fit within delta. Estimate and width are each taken at both ends of their middle 80 %, and the
    /// level of a winner at both ends of Holm's steps.
    /// </summary>
    internal static MoreRounds? Of(RatioEstimate estimate, Interval interval, double delta, double level, int claims)
    {
        var n = estimate.Rounds;
        if (n < FewestRounds)
            return null;
        var (effect, half) = (Math.Abs(Math.Log(estimate.Ratio)), Math.Log(interval.High / interval.Low) / 2);
        const double Quantile = 1.2816;
        var deviations = Normal.Quantile(1 - (1 - estimate.Confidence) / 2);
        var shift = half * Quantile / deviations;
        double Half(double alpha) => half * Normal.Quantile(1 - alpha / 2) / deviations;
        // The standard deviation of a standard deviation, of normal noise.
        var spread = Quantile / Math.Sqrt(2.0 * (n - 1));
        var ends = from e in new[] { Math.Max(0, effect - shift), effect, effect + shift }
                   from h in new[] { 1 - Math.Min(spread, 0.9), 1 + spread }
                   from winner in new[] { Half(level), Half(level / claims) }
                   let narrower = Math.Max(e / (h * winner), (Math.Log(1 + delta) - e) / (h * Half(level)))
                   select (int)Math.Clamp(Math.Ceiling(n / Math.Pow(narrower, 2)) - n, 1, Many);
        var all = ends.ToList();
        return new MoreRounds(all.Min(), all.Max());
    }
}
