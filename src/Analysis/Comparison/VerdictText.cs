using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Comparison;

public static class VerdictText
{
    // "at least N more rounds needed, possibly far more" is not shown if N is smaller than this number.
    private const int Few = 10;

    // "roughly 1 to 834 more rounds needed" is not shown if the second number is more than this many times the first number.
    private const int Wide = 30;

    /// <summary>
    /// Writes a verdict: <c>faster by 45 % [41 %, 48 %]</c>, <c>no difference larger than 1.8 %</c>,
    /// <c>undecided: between −2.0 % and +46 %</c>.
    /// </summary>
    public static string Describe(Verdict verdict, Metric metric) => verdict.Kind switch
    {
        VerdictKind.Higher or VerdictKind.Lower => Size(verdict, metric, ""),
        VerdictKind.NoDifference => Within(verdict.LargestDifference),
        _ => $"undecided: {Open(verdict, metric)}",
    };

    /// <summary>
    /// Writes a verdict for the column of a table: <c>+45 % [41, 48]</c>, <c>equal within 1.8 %</c>,
    /// <c>undecided, −2.0 to +46 %</c>.
    /// </summary>
    public static string Short(Verdict verdict) => verdict.Kind switch
    {
        VerdictKind.Higher or VerdictKind.Lower => Change(verdict.Estimate),
        VerdictKind.NoDifference => $"equal within {RoundedUp(verdict.LargestDifference)}",
        _ => verdict is { Withheld.Length: 0, Estimate: { LeftOut: 0, Interval: { } interval } }
            ? $"undecided, {Quantity.Change(interval.Low).Replace(" %", "", StringComparison.Ordinal)} to {Quantity.Change(interval.High)}"
            : "undecided",
    };

    /// <summary>Writes a verdict with the name of the reference: <c>faster than tcp by 45 % [41 %, 48 %]</c>.</summary>
    public static string Against(Verdict verdict, Metric metric, string reference) =>
        verdict.Kind is VerdictKind.Higher or VerdictKind.Lower
        ? Size(verdict, metric, $" than {reference}") : $"{Describe(verdict, metric)} between it and {reference}";

    /// <summary>Writes the largest possible difference: <c>no difference larger than 1.8 %</c>.</summary>
    public static string Within(double largest) => $"no difference larger than {RoundedUp(largest)}";

    /// <summary>Writes what is known when there is no verdict: the reason why, the interval, or the number of missing rounds.</summary>
    public static string Open(Verdict verdict, Metric metric)
    {
        if (verdict.Withheld.Length > 0)
            return verdict.Withheld;
        var estimate = verdict.Estimate;
        if (estimate.LeftOut is > 0 and var silent)
            return $"{Quantity.Many(silent, "round")} {(silent == 1 ? "has" : "have")} a value of 0 and so no ratio";
        if (estimate.Interval is not { } interval)
            return Missing(verdict);
        var more = verdict.HiddenByDrift > 0
            ? $"; cannot be decided with this drift of the machine ({Quantity.Percent(Math.Exp(verdict.HiddenByDrift) - 1)})"
            : verdict.RoundsMissing > 0 ? "; " + Missing(verdict) : More(verdict.MoreRounds);
        return $"between {Quantity.Change(interval.Low)} and {Quantity.Change(interval.High)}{more}";
    }

    /// <summary>Writes the size of the difference without its direction: <c>45 % [41 %, 48 %]</c>.</summary>
    public static string Size(Verdict verdict) => Size(verdict.Estimate);

    /// <summary>Writes the ratio with its interval as multiples: <c>1.45× [1.41, 1.48]</c>.</summary>
    public static string Ratio(RatioEstimate estimate) => estimate.Interval is { } interval
        ? $"{Quantity.Ratio(estimate.Ratio)} [{Plain(interval.Low)}, {Plain(interval.High)}]" : Quantity.Ratio(estimate.Ratio);

    /// <summary>Writes the ratio with its interval as changes: <c>+45 % [41, 48]</c>, <c>−15 % [−18, −12]</c>.</summary>
    public static string Change(RatioEstimate estimate) => Quantity.Change(estimate.Ratio)
        + (estimate.Interval is { } interval ? $" [{Bound(interval.Low)}, {Bound(interval.High)}]" : "");

    // Only the ratio in front of the interval has a percent sign.
    private static string Bound(double ratio) =>
        (ratio < 1 ? "−" : "") + NotNothing(Math.Abs(ratio - 1), Quantity.Percent).Replace(" %", "", StringComparison.Ordinal);

    // A bound of a decided difference is not 0. If rounding made a bound 0, readers would doubt the verdict. Therefore
    // a small bound has more digits.
    private static string NotNothing(double share, Func<double, string> show) =>
        share is <= 0 or >= 0.0005 ? show(share)
            : share < 0.00005 ? "<0.01 %"
            : (share * 100).ToString("0.00", System.Globalization.CultureInfo.InvariantCulture) + " %";

    /// <summary>Writes a confidence level: 95 %, or more if the level is corrected for repeated looks at the results.</summary>
    public static string Confidence(double confidence) =>
        (confidence * 100).ToString("0.##", System.Globalization.CultureInfo.InvariantCulture) + " %";

    private static string Missing(Verdict verdict) => verdict.RoundsAtOnce is { } fewest
        ? Quantity.Many(fewest, "round") + TextBuilding.Invariant($" needed, or {verdict.RoundsMissing} more by --resume")
        : Rounds(verdict.RoundsMissing) + " needed";

    private static string More(MoreRounds? more) => more switch
    {
        null => "",
        { Least: >= MoreRounds.Many } => "; more than 1,000 more rounds needed",
        { Most: >= MoreRounds.Many, Least: < Few } => "",
        _ when more.Most > more.Least * Wide => "",
        { Most: >= MoreRounds.Many } => $"; at least {Quantity.Count(more.Least)} more rounds needed, possibly far more",
        _ => $"; roughly {Quantity.Count(more.Least)} to {Rounds(more.Most)} needed",
    };

    private static string Size(Verdict verdict, Metric metric, string than)
    {
        var word = Word(metric, verdict.Kind == VerdictKind.Higher) + than;
        return verdict.IsTooLittle && verdict.Estimate.Interval is { } interval
            ? $"{word} by {Between(interval)}, too little to matter" : $"{word} by {Size(verdict.Estimate)}";
    }

    // Writes both bounds as positive changes, for example 0.1–0.9 %.
    private static string Between(Interval interval)
    {
        var (low, high) = (Math.Abs(interval.Low - 1), Math.Abs(interval.High - 1));
        return NotNothing(Math.Min(low, high), Tenths).Replace(" %", "", StringComparison.Ordinal)
            + $"–{NotNothing(Math.Max(low, high), Tenths)}";
    }

    private static string Size(RatioEstimate estimate)
    {
        // A ratio below 1 is shown as a positive change, so the lower bound becomes the upper bound.
        var (low, high) = estimate.Interval is { } i ? (Math.Abs(i.Low - 1), Math.Abs(i.High - 1)) : (0, 0);
        var isNarrow = Math.Abs(high - low) < 0.02;
        Func<double, string> show = isNarrow ? Tenths : Quantity.Percent;
        return $"{show(Math.Abs(estimate.Ratio - 1))} [{NotNothing(Math.Min(low, high), show)}, {show(Math.Max(low, high))}]";
    }

    private static string Tenths(double share) =>
        (share * 100).ToString("0.0", System.Globalization.CultureInfo.InvariantCulture) + " %";

    /// <summary>Rounds a bound in percent up, so that the text never claims more than the interval.</summary>
    public static string RoundedUp(double share)
    {
        var tenths = Math.Max(0, Math.Ceiling(share * 1000 - 1e-9));
        // From 10 % on, Quantity.Percent shows no tenths.
        return Quantity.Percent(tenths < 100 ? tenths / 1000 : Math.Ceiling(share * 100 - 1e-9) / 100);
    }

    private static string Rounds(int count) => Quantity.Many(count, "more round");

    private static string Word(Metric metric, bool higher) => metric.Id switch
    {
        "rps" or "payload" => higher ? "faster" : "slower",
        _ => higher ? "higher" : "lower",
    };

    private static string Plain(double ratio) => Quantity.Ratio(ratio).TrimEnd('×');
}
