namespace IpcBench.Analysis.Statistics;

/// <summary>The verdict on a ratio, and how many more rounds a verdict needs if there is none.</summary>
public sealed record Verdict
{
    public required RatioEstimate Estimate { get; init; }

    public required VerdictKind Kind { get; init; }

    /// <summary>
    /// The widest bound of "no difference", 10 %. Beyond it, "no difference larger than 40 %" would read like good news.
    /// </summary>
    public const double WidestOfNoDifference = 0.10;

    /// <summary>
    /// The largest difference that the interval contains, as a change against the reference, e.g. 0.02. 0 when there is no
    /// interval, when the verdict is withheld, or when drift prevents a verdict.
    /// </summary>
    public double LargestDifference { get; init; }

    /// <summary>Whether there is a winner, but the whole interval lies within ±delta.</summary>
    public bool IsTooLittle { get; private init; }

    /// <summary>Whether the arms count as equal: no difference was found, or a difference that is too little to matter.</summary>
    public bool IsEqual => Kind == VerdictKind.NoDifference || IsTooLittle;

    /// <summary>The reason why there is no verdict, whatever the interval. Empty when the interval decides.</summary>
    public string Withheld { get; private init; } = "";

    /// <summary>
    /// Whether more rounds are wanted: nothing is decided, or the bound of <see cref="VerdictKind.NoDifference"/> is above delta.
    /// </summary>
    public bool WantsMoreRounds { get; private init; }

    /// <summary>The smallest number of rounds that can have a winner.</summary>
    public int FewestRounds { get; private init; }

    /// <summary>If more rounds are wanted, about how many would decide. Null when unknown.</summary>
    public MoreRounds? MoreRounds { get; private init; }

    /// <summary>
    /// The drift between the two runs, as a logarithm, if it prevents a verdict with any number of rounds. Otherwise 0.
    /// </summary>
    public double HiddenByDrift { get; private init; }

    /// <summary>The smallest number of rounds for a verdict if rounds are added later, which needs a stricter level.</summary>
    private int FewestRoundsThen { get; init; }

    /// <summary>How many rounds are missing for an interval. 0 if there are enough.</summary>
    public int RoundsMissing => Estimate.Rounds >= FewestRounds ? 0 : Math.Max(FewestRounds, FewestRoundsThen) - Estimate.Rounds;

    /// <summary>
    /// The number of rounds for a verdict in a new run, if a new run needs fewer than this run with added rounds. A
    /// user who adds rounds has looked at the results before, so the intervals must be corrected for looks, which needs
    /// more rounds. Null if both numbers are equal, or no rounds are missing.
    /// </summary>
    public int? RoundsAtOnce => RoundsMissing > 0 && FewestRoundsThen > FewestRounds ? FewestRounds : null;

    /// <summary>
    /// Judges an interval: on which side of 1 the interval lies, or whether the whole interval is near to 1.
    /// </summary>
    /// <param name="estimate">The measured ratio with the simultaneous interval of its family.</param>
    /// <param name="delta">Differences smaller than this (0.03 is 3 %) do not matter.</param>
    /// <param name="claims">The number of comparisons that share the level.</param>
    public static Verdict From(RatioEstimate estimate, double delta, int claims = 1)
    {
        // A user who adds rounds has looked at the results before, so added rounds need the stricter level.
        var open = new Verdict
        {
            Estimate = estimate,
            Kind = VerdictKind.CannotTell,
            WantsMoreRounds = true,
            FewestRounds = estimate.FewestRounds,
            FewestRoundsThen = estimate.Error > 0 ? Joint.FewestRounds(isLookedAt: true, claims) : 0,
        };
        // Values of 0 were left out of the ratio. If there are any, the ratio is that of the other values only, so
        // there is no verdict.
        if (estimate.LeftOut > 0 || estimate.Interval is not { } interval)
            return open;
        var largest = Math.Max(1 - interval.Low, interval.High - 1);
        if (!interval.Contains(1))
            return open with
            {
                Kind = interval.Low > 1 ? VerdictKind.Higher : VerdictKind.Lower,
                LargestDifference = largest,
                IsTooLittle = largest <= delta,
                WantsMoreRounds = false,
            };
        var kind = largest <= Math.Max(delta, WidestOfNoDifference) ? VerdictKind.NoDifference : VerdictKind.CannotTell;
        if (largest <= delta)
            return open with { Kind = kind, LargestDifference = largest, WantsMoreRounds = false };
        if (!IsHiddenByDrift(estimate, delta))
        {
            var more = Statistics.MoreRounds.Estimate(estimate, delta, claims);
            return open with { Kind = kind, LargestDifference = largest, MoreRounds = more };
        }
        var bound = kind == VerdictKind.NoDifference ? largest : 0;
        return open with { Kind = kind, LargestDifference = bound, HiddenByDrift = estimate.Drift };
    }

    /// <summary>Returns the same ratio without a verdict.</summary>
    /// <param name="why">The reason why there is no verdict, as a clause.</param>
    public Verdict Without(string why) =>
        this with
        {
            Kind = VerdictKind.CannotTell,
            Withheld = why,
            IsTooLittle = false,
            LargestDifference = 0,
            WantsMoreRounds = false,
            MoreRounds = null,
        };

    /// <summary>Returns the verdict on the inverse ratio.</summary>
    public Verdict Turned() => this with
    {
        Estimate = Estimate with
        {
            Ratio = 1 / Estimate.Ratio,
            Interval = Estimate.Interval is { } interval ? new Interval(1 / interval.High, 1 / interval.Low) : null,
        },
        Kind = Kind switch
        {
            VerdictKind.Higher => VerdictKind.Lower,
            VerdictKind.Lower => VerdictKind.Higher,
            _ => Kind,
        },
    };

    // With any number of rounds, the interval stays at least as wide as the estimate ± the drift. The drift prevents a
    // verdict if even this narrowest interval allows none.
    private static bool IsHiddenByDrift(RatioEstimate estimate, double delta) =>
        Math.Abs(Math.Log(estimate.Ratio)) is var shift && shift <= estimate.Drift && shift + estimate.Drift > Math.Log(1 + delta);
}

/// <summary>The verdicts. A winner is <see cref="Higher"/> or <see cref="Lower"/>.</summary>
public enum VerdictKind
{
    /// <summary>The whole interval lies above 1.</summary>
    Higher,

    /// <summary>The whole interval lies below 1.</summary>
    Lower,

    /// <summary>
    /// The interval contains 1 and lies within ±delta, or within ±<see cref="Verdict.WidestOfNoDifference"/> if that is wider.
    /// </summary>
    NoDifference,

    /// <summary>The interval contains 1 and reaches further, or there is no interval. More rounds are needed.</summary>
    CannotTell,
}

/// <summary>
/// About how many more rounds a verdict needs, as a range. With six rounds a single number would be too uncertain:
/// samples of the same truth gave 5 to 74. With fewer than ten rounds there is no estimate.
/// </summary>
/// <param name="Least">The number if the difference and its noise are at the favourable ends of their likely ranges.</param>
/// <param name="Most">The number if both are at the unfavourable ends. <see cref="Many"/> means "too many to name".</param>
public sealed record MoreRounds(int Least, int Most)
{
    /// <summary>The largest number that is named. If more rounds are needed, the difference is too small for this machine.</summary>
    public const int Many = 1000;

    /// <summary>The smallest number of measured rounds that allows an estimate.</summary>
    public const int FewestRounds = 10;

    /// <summary>
    /// Estimates after how many more rounds the interval is narrow enough for a verdict. It must exclude 1 (if the
    /// ratio stays the same) or fit within delta. The interval is that of a confidence sequence that shares its level
    /// with this many comparisons. The ratio and the noise are each taken at both ends of their middle 80 %.
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
    /// Computes the number of rounds after which half the width of the interval is at most this many standard
    /// deviations of a round.
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
