using System.Globalization;

namespace IpcBench.Analysis.Results;

/// <summary>
/// What a service promises for its calls, as <c>--find</c> has it: <c>p99&lt;1ms,failures&lt;0.1%</c>. All of it must hold.
/// </summary>
public sealed record LatencyObjective
{
    private const double MostNs = 3600e9;

    private static readonly (string Unit, double Ns)[] Units = [("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];

    /// <summary>As typed, without spaces: the name of the load (<see cref="CellKey.Load"/>).</summary>
    public required string Text { get; init; }

    public required IReadOnlyList<ObjectiveTerm> Terms { get; init; }

    /// <summary>The longest time that is promised, in ns; 0 where only failures are.</summary>
    public double LongestNs => Terms.Where(term => !term.IsOfFailures).Select(term => term.Limit).DefaultIfEmpty(0).Max();

    /// <summary>Reads one.</summary>
    /// <param name="text">As typed.</param>
    /// <param name="error">What is wrong, as the end of a sentence; empty when nothing is.</param>
    /// <returns>Null when it is none.</returns>
    public static LatencyObjective? Parse(string text, out string error)
    {
        var plain = string.Concat(text.Where(c => !char.IsWhiteSpace(c)));
        var terms = new List<ObjectiveTerm>();
        foreach (var part in plain.Split(','))
        {
            if (ObjectiveTerm.Names.Contains(part))
            {
                error = $"'{part}' has no limit: write '{part}<{(part == ObjectiveTerm.Failures ? "0.1%" : "1ms")}' in quotation marks, "
                    + "since a shell takes < for itself";
                return null;
            }
            if (part.Split('<') is not [var what, var limit] || !ObjectiveTerm.Names.Contains(what))
            {
                error = $"'{part}' is no promise such as p99<1ms: {string.Join(", ", ObjectiveTerm.Names)}, then < and a limit";
                return null;
            }
            var value = what == ObjectiveTerm.Failures ? Share(limit) : Nanoseconds(limit);
            if (value is null)
            {
                error = what == ObjectiveTerm.Failures ? $"'{part}' needs a share of all calls such as 0.1%"
                    : $"'{part}' needs a time such as 500us or 1ms, of an hour at most";
                return null;
            }
            if (terms.Exists(term => term.Name == what))
            {
                error = $"'{text}' promises {what} twice";
                return null;
            }
            terms.Add(new ObjectiveTerm(what, value.Value));
        }
        error = "";
        return new LatencyObjective { Text = plain, Terms = terms };
    }

    private static double? Nanoseconds(string text)
    {
        foreach (var (unit, ns) in Units)
        {
            if (text.EndsWith(unit, StringComparison.Ordinal) && Number(text[..^unit.Length]) * ns is { } value and >= 1 and <= MostNs)
                return value;
        }
        return null;
    }

    private static double? Share(string text) =>
        text.EndsWith('%') && Number(text[..^1]) / 100 is { } share and >= 1e-6 and < 1 ? share : null;

    private static double? Number(string digits) =>
        double.TryParse(digits, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var value) ? value : null;
}

/// <summary>One part of a <see cref="LatencyObjective"/>.</summary>
/// <param name="Name">One of <see cref="Names"/>.</param>
/// <param name="Limit">In ns; of failures a share of all calls.</param>
public sealed record ObjectiveTerm(string Name, double Limit)
{
    public const string Failures = "failures";
    private const string MeanName = "mean";

    /// <summary>What may be promised.</summary>
    public static IReadOnlyList<string> Names { get; } = ["p50", "p90", "p99", "p99.9", MeanName, Failures];

    public bool IsOfFailures => Name == Failures;

    public bool IsOfMean => Name == MeanName;

    /// <summary>0.99 of p99; null of what is no percentile.</summary>
    public double? Quantile => Name[0] == 'p' ? double.Parse(Name[1..], CultureInfo.InvariantCulture) / 100 : null;

    /// <summary>
    /// The mean that a call may have of what counts against it: the share of calls that may be slower than a percentile's limit, the limit
    /// of a mean in ns, the share of failures.
    /// </summary>
    public double Allowed => Quantile is { } quantile ? 1 - quantile : Limit;
}
