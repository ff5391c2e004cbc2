namespace IpcBench.Analysis.Statistics;

/// <summary>The verdict on a ratio, and how many more rounds a verdict needs if there is none.</summary>
public sealed record Verdict
{
    public required RatioEstimate Estimate { get; init; }

    public required VerdictKind Kind { get; init; }

    /// <summary>
    /// The largest N for which reports say "no difference larger than N". With a larger N, such as 40 %, the sentence
    /// would sound as if the arms were equal.
    /// </summary>
    public const double WidestOfNoDifference = 0.10;

    /// <summary>
    /// The largest difference that the interval contains, as a change against the reference, e.g. 0.02. 0 when the
    /// interval is missing or not used, when the verdict is withheld, or when drift prevents any verdict.
    /// </summary>
    public double LargestDifference { get; init; }

    /// <summary>Whether there is a winner, but the whole interval lies within ±delta.</summary>
    public bool IsTooLittle { get; private init; }

    /// <summary>Whether the arms count as equal: no difference was found, or a difference that is too little to matter.</summary>
    public bool IsEqual => Kind == VerdictKind.NoDifference || IsTooLittle;

    /// <summary>The reason why there is no verdict, whatever the interval. Empty when the interval decides.</summary>
    public string Withheld { get; private init; } = "";

    /// <summary>
    /// Whether more rounds are wanted: nothing is decided, or the bound of <see cref="VerdictKind.NoDifference"/> is
    /// above delta. False for a withheld verdict.
    /// </summary>
    public bool WantsMoreRounds { get; private init; }

    /// <summary>The smallest number of rounds with which a winner is possible.</summary>
    public int FewestRounds { get; private init; }

    /// <summary>
    /// About how many more rounds would give a decision, if more rounds are wanted. Null when this number is unknown.
    /// </summary>
    public MoreRounds? MoreRounds { get; private init; }

    /// <summary>
    /// The drift between the two runs, as a logarithm, if more rounds cannot give a winner or a difference within
    /// delta. Otherwise 0.
    /// </summary>
    public double HiddenByDrift { get; private init; }

    /// <summary>The smallest number of rounds for a verdict if rounds are added later, which needs a stricter level.</summary>
    private int FewestRoundsThen { get; init; }

    /// <summary>
    /// How many rounds are missing for an interval. 0 if there are enough. 1 if this number is unknown: a comparison with fewer
    /// rounds than the others of its family may have no interval.
    /// </summary>
    public int RoundsMissing => Estimate.Rounds < FewestRounds ? Math.Max(FewestRounds, FewestRoundsThen) - Estimate.Rounds
        : Estimate is { Interval: null, LeftOut: 0 } ? 1 : 0;

    /// <summary>
    /// The number of rounds that a new run needs for a verdict, if it needs fewer rounds than this run with added
    /// rounds. A user who adds rounds has already looked at the results, and intervals that are corrected for looks
    /// need more rounds. Null if both runs need the same number, or if no rounds are missing.
    /// </summary>
    public int? RoundsAtOnce => Estimate.Rounds < FewestRounds && FewestRoundsThen > FewestRounds ? FewestRounds : null;

    /// <summary>Judges on which side of 1 an interval lies, or whether the whole interval is near to 1.</summary>
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
        // Rounds with a value of 0 are left out. The ratio describes only the other rounds, so there is no verdict.
        if (estimate.LeftOut > 0)
            return open with { WantsMoreRounds = false }; // more rounds do not change that
        if (estimate.Interval is not { } interval)
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

    /// <summary>Returns the verdict on the inverse ratio. <see cref="LargestDifference"/> stays that of this ratio.</summary>
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

    // However many rounds are added, the interval contains the estimate ± the drift. The drift prevents a verdict if
    // this narrowest interval contains 1 and reaches beyond delta.
    private static bool IsHiddenByDrift(RatioEstimate estimate, double delta) =>
        Math.Abs(Math.Log(estimate.Ratio)) is var shift && shift <= estimate.Drift && shift + estimate.Drift > Math.Log(1 + delta);
}
