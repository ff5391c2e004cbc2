using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Comparison;

/// <summary>Verdicts in plain words.</summary>
public static class VerdictText
{
    /// <summary>
    /// <c>faster by 45 % [41 %, 48 %]</c>, <c>no difference larger than 1.8 %</c>, <c>cannot tell, about 5 more rounds needed</c>.
    /// </summary>
    public static string Of(Verdict verdict, Metric metric) => verdict.Kind switch
    {
        VerdictKind.Higher => $"{Word(metric, higher: true)} by {Size(verdict.Estimate)}",
        VerdictKind.Lower => $"{Word(metric, higher: false)} by {Size(verdict.Estimate)}",
        VerdictKind.NoDifference => $"no difference larger than {RoundedUp(verdict.LargestDifference)}",
        _ when verdict.Estimate.LeftOut is > 0 and var silent =>
            $"cannot tell, {(silent == 1 ? "1 round has" : $"{Quantity.Count(silent)} rounds have")} a value of 0 and so no ratio",
        _ when verdict.Estimate.Interval is null => $"cannot tell, {Rounds(verdict.MoreRounds)} would allow a verdict",
        _ when verdict.MoreRounds >= Verdict.ManyRounds => "cannot tell, more than 1,000 more rounds needed",
        _ => $"cannot tell, about {Rounds(verdict.MoreRounds)} needed",
    };

    /// <summary><c>faster than tcp by 45 % [41 %, 48 %]</c>.</summary>
    public static string Against(Verdict verdict, Metric metric, string reference) =>
        verdict.Kind is VerdictKind.Higher or VerdictKind.Lower
        ? $"{Word(metric, verdict.Kind == VerdictKind.Higher)} than {reference} by {Size(verdict.Estimate)}"
        : $"{Of(verdict, metric)} between it and {reference}";

    /// <summary>The ratio with its interval as multiples: <c>1.45× [1.41, 1.48]</c>.</summary>
    public static string Ratio(RatioEstimate estimate) => estimate.Interval is { } interval
        ? $"{Quantity.Ratio(estimate.Ratio)} [{Plain(interval.Low)}, {Plain(interval.High)}]" : Quantity.Ratio(estimate.Ratio);

    /// <summary>95 %, or 98.95 % where the level is corrected for looking many times.</summary>
    public static string Confidence(double confidence) =>
        (confidence * 100).ToString("0.##", System.Globalization.CultureInfo.InvariantCulture) + " %";

    private static string Size(RatioEstimate estimate)
    {
        // The change of a ratio below 1 is turned round, so the bounds change places.
        var (low, high) = estimate.Interval is { } i ? (Math.Abs(i.Low - 1), Math.Abs(i.High - 1)) : (0, 0);
        var isNarrow = Math.Abs(high - low) < 0.02;
        string Show(double share) => isNarrow ? (share * 100).ToString("0.0", System.Globalization.CultureInfo.InvariantCulture) + " %"
            : Quantity.Percent(share);
        return $"{Show(Math.Abs(estimate.Ratio - 1))} [{Show(Math.Min(low, high))}, {Show(Math.Max(low, high))}]";
    }

    private static string RoundedUp(double share) => Quantity.Percent(Math.Ceiling(share * 1000 - 1e-9) / 1000);

    private static string Rounds(int count) => count == 1 ? "1 more round" : $"{Quantity.Count(count)} more rounds";

    private static string Word(Metric metric, bool higher) => metric.Id switch
    {
        "rps" or "payload" => higher ? "faster" : "slower",
        _ => higher ? "higher" : "lower",
    };

    private static string Plain(double ratio) => Quantity.Ratio(ratio).TrimEnd('×');
}
