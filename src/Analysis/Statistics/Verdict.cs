namespace IpcBench.Analysis.Statistics;

/// <summary>What may be said of a ratio, and what it would take to say more.</summary>
public sealed record Verdict
{
    /// <summary>More rounds than this are not worth naming: the difference is too small for this machine.</summary>
    public const int ManyRounds = 1000;

    public required RatioEstimate Estimate { get; init; }

    public required VerdictKind Kind { get; init; }

    /// <summary>Of <see cref="VerdictKind.NoDifference"/>: the largest difference that the interval leaves, e.g. 0.02.</summary>
    public double LargestDifference { get; init; }

    /// <summary>Of <see cref="VerdictKind.CannotTell"/>: about how many more rounds would decide.</summary>
    public int MoreRounds { get; init; }

    /// <summary>The verdict, when differences smaller than delta (0.03 is 3 %) do not matter.</summary>
    public static Verdict Of(RatioEstimate estimate, double delta)
    {
        // The rest of the rounds would tell only of those that went well.
        if (estimate.LeftOut > 0)
            return new Verdict { Estimate = estimate, Kind = VerdictKind.CannotTell, MoreRounds = ManyRounds };
        if (estimate.Interval is not { } interval)
            return new Verdict
            {
                Estimate = estimate,
                Kind = VerdictKind.CannotTell,
                MoreRounds = Math.Max(1, estimate.FewestRounds - estimate.Rounds)
            };
        if (!interval.Contains(1))
            return new Verdict { Estimate = estimate, Kind = interval.Low > 1 ? VerdictKind.Higher : VerdictKind.Lower };
        var largest = Math.Max(1 - interval.Low, interval.High - 1);
        return largest <= delta
            ? new Verdict { Estimate = estimate, Kind = VerdictKind.NoDifference, LargestDifference = largest }
            : new Verdict { Estimate = estimate, Kind = VerdictKind.CannotTell, MoreRounds = RoundsToDecide(estimate, interval, delta) };
    }

    /// <summary>
    /// The interval narrows with the square root of the rounds. It decides when it is narrow enough either to leave 1 out,
    /// where the estimate stays what it is, or to fit within delta.
    /// </summary>
    private static int RoundsToDecide(RatioEstimate estimate, Interval interval, double delta)
    {
        var effect = Math.Abs(Math.Log(estimate.Ratio));
        var half = Math.Log(interval.High / interval.Low) / 2;
        var needed = Math.Max(effect, Math.Log(1 + delta) - effect);
        var rounds = estimate.Rounds * Math.Pow(half / needed, 2);
        return (int)Math.Clamp(Math.Ceiling(rounds) - estimate.Rounds, 1, ManyRounds);
    }
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
