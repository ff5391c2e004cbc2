using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text.RegularExpressions;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Comparison;

/// <summary>A limit of <c>--fail-on</c>: a metric, a direction and the largest allowed change.</summary>
public sealed partial record GateLimit
{
    public required Metric Metric { get; init; }

    /// <summary>
    /// True if the gate fails when the metric falls below the limit, false if the gate fails when the metric rises
    /// above the limit.
    /// </summary>
    public required bool Below { get; init; }

    /// <summary>The ratio at the limit: 0.95 for <c>&lt;-5%</c>.</summary>
    public required double Ratio { get; init; }

    /// <summary>The text of the limit on the command line.</summary>
    public required string Text { get; init; }

    /// <summary>Reads a limit like <see cref="Parse"/>, and returns false if the text is no limit.</summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out GateLimit? limit)
    {
        try
        {
            limit = Parse(text);
        }
        catch (FormatException)
        {
            limit = null;
        }
        return limit is not null;
    }

    /// <summary>Reads <c>rps&lt;-5%</c> or <c>p99&gt;10%</c>.</summary>
    /// <exception cref="FormatException">The text is no limit. The message is one sentence with the reason.</exception>
    public static GateLimit Parse(string text)
    {
        var match = Grammar().Match(text);
        if (!match.Success)
            throw new FormatException($"'{text}' is not a limit: write a metric, < or >, and a change in percent, e.g. 'rps<-5%' or "
                + $"'p99>10%'");
        var metric = Metric.Find(match.Groups["metric"].Value)
            ?? throw new FormatException($"there is no metric '{match.Groups["metric"].Value}': write one of "
                + $"{string.Join(", ", Metric.All.Select(m => m.Id))}");
        var (below, percent) = (match.Groups["sign"].Value == "<",
            double.Parse(match.Groups["percent"].Value, CultureInfo.InvariantCulture));
        if (below ? percent > 0 : percent < 0)
            throw new FormatException($"'{text}' would fail when nothing changed: write "
                + $"{metric.Id}<-{Math.Abs(percent).ToString(CultureInfo.InvariantCulture)}% for a fall, "
                + $"{metric.Id}>{Math.Abs(percent).ToString(CultureInfo.InvariantCulture)}% for a rise");
        if (percent <= -100)
            throw new FormatException($"'{text}' can never fail: a metric cannot fall by more than 100%");
        return new GateLimit { Metric = metric, Below = below, Ratio = 1 + percent / 100, Text = text };
    }

    /// <summary>Tells whether the whole interval is beyond the limit. Null without an interval.</summary>
    public bool? IsCrossed(RatioEstimate? estimate) => estimate?.Interval is not { } interval
        ? null : Below ? interval.High < Ratio : interval.Low > Ratio;

    /// <summary>Tells whether the whole interval is within the limit, so that the limit is certainly not crossed.</summary>
    public bool IsExcluded(Interval interval) => Below ? interval.Low >= Ratio : interval.High <= Ratio;

    /// <summary>
    /// Computes the smallest change (as a ratio) that these rounds could show to be beyond the limit. An interval of
    /// the same relative width around this ratio would lie completely beyond the limit.
    /// </summary>
    public double Shown(double estimate, Interval interval) => Ratio * estimate / (Below ? interval.High : interval.Low);

    [GeneratedRegex(@"^\s*(?<metric>[A-Za-z][A-Za-z0-9_.]*)\s*(?<sign>[<>])\s*"
        + @"(?<percent>[+-]?[0-9]+(\.[0-9]+)?)\s*%\s*$", RegexOptions.CultureInvariant)]
    private static partial Regex Grammar();
}
