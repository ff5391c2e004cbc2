using System.Globalization;
using System.Text.RegularExpressions;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Comparison;

/// <summary>One <c>--fail-on</c>: a metric, a direction, and the change that is too much.</summary>
public sealed partial record GateLimit
{
    public required Metric Metric { get; init; }

    /// <summary>Whether a fall below the limit fails; else a rise above it.</summary>
    public required bool Below { get; init; }

    /// <summary>The ratio that must not be crossed: 0.95 for <c>&lt;-5%</c>.</summary>
    public required double Ratio { get; init; }

    /// <summary>As it was typed.</summary>
    public required string Text { get; init; }

    /// <summary>Reads <c>rps&lt;-5%</c> or <c>p99&gt;10%</c>.</summary>
    /// <exception cref="FormatException">It is neither; the message is one sentence that names the fix.</exception>
    public static GateLimit Parse(string text)
    {
        var match = Grammar().Match(text);
        if (!match.Success)
            throw new FormatException($"'{text}' is no limit: write a metric, < or >, and a change in percent, e.g. 'rps<-5%' or "
                + $"'p99>10%'");
        var metric = Metric.Find(match.Groups["metric"].Value)
            ?? throw new FormatException($"there is no metric '{match.Groups["metric"].Value}': it is one of "
                + $"{string.Join(", ", Metric.All.Select(m => m.Id))}");
        var (below, percent) = (match.Groups["sign"].Value == "<",
            double.Parse(match.Groups["percent"].Value, CultureInfo.InvariantCulture));
        if (below ? percent > 0 : percent < 0)
            throw new FormatException($"'{text}' would fail when nothing changed: write "
                + $"{metric.Id}<-{Math.Abs(percent).ToString(CultureInfo.InvariantCulture)}% for a fall, "
                + $"{metric.Id}>{Math.Abs(percent).ToString(CultureInfo.InvariantCulture)}% for a rise");
        if (percent <= -100)
            throw new FormatException($"'{text}' can never fail: nothing falls by more than 100%");
        return new GateLimit { Metric = metric, Below = below, Ratio = 1 + percent / 100, Text = text };
    }

    /// <summary>Whether the whole interval is beyond the limit; null when there is no interval.</summary>
    public bool? IsCrossed(RatioEstimate? estimate) => estimate?.Interval is not { } interval
        ? null : Below ? interval.High < Ratio : interval.Low > Ratio;

    [GeneratedRegex(@"^\s*(?<metric>[A-Za-z][A-Za-z0-9_.]*)\s*(?<sign>[<>])\s*"
        + @"(?<percent>[+-]?[0-9]+(\.[0-9]+)?)\s*%\s*$", RegexOptions.CultureInvariant)]
    private static partial Regex Grammar();
}
