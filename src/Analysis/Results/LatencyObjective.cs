using System.Globalization;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Results;

/// <summary>The objective of <c>--find</c>: <c>p99&lt;1ms,failures&lt;0.1%</c>. All of its terms must hold.</summary>
public sealed record LatencyObjective
{
    private const double MostNs = 3600e9;

    /// <summary>The objective as typed, without spaces. <see cref="CellKey.Load"/> of the cells has the same text.</summary>
    public required string Text { get; init; }

    public required IReadOnlyList<ObjectiveTerm> Terms { get; init; }

    /// <summary>The longest time limit in ns. 0 when only failures are limited.</summary>
    public double LongestNs => Terms.Where(term => !term.IsOfFailures).Select(term => term.Limit).DefaultIfEmpty(0).Max();

    /// <summary>Reads an objective.</summary>
    /// <param name="text">The objective as typed.</param>
    /// <param name="error">What is wrong with the text, as the end of a sentence. Empty when nothing is wrong.</param>
    /// <returns>The objective. Null when the text is not an objective.</returns>
    public static LatencyObjective? Parse(string text, out string error)
    {
        var plain = string.Concat(text.Where(c => !char.IsWhiteSpace(c)));
        var terms = new List<ObjectiveTerm>();
        foreach (var part in plain.Split(','))
        {
            if (ObjectiveTerm.Names.Contains(part))
            {
                error = $"'{part}' has no limit: write '{part}<{(part == ObjectiveTerm.Failures ? "0.1%" : "1ms")}' in quotation marks, "
                    + "because < has a meaning in a shell";
                return null;
            }
            if (part.Split('<') is not [var what, var limit] || !ObjectiveTerm.Names.Contains(what))
            {
                error = $"'{part}' is not an objective such as p99<1ms: write one of "
                    + $"{string.Join(", ", ObjectiveTerm.Names)}, then < and a limit";
                return null;
            }
            var value = what == ObjectiveTerm.Failures ? Share(limit) : Nanoseconds(limit);
            if (value is null)
            {
                error = what == ObjectiveTerm.Failures ? $"'{part}' needs a share of all calls such as 0.1%"
                    : $"'{part}' needs a limit such as 500us or 1ms, up to an hour";
                return null;
            }
            if (terms.Exists(term => term.Name == what))
            {
                error = $"'{text}' has two limits for {what}";
                return null;
            }
            terms.Add(new ObjectiveTerm(what, value.Value));
        }
        error = "";
        return new LatencyObjective { Text = plain, Terms = terms };
    }

    private static double? Nanoseconds(string text) => Quantity.ParseNs(text) is { } value and >= 1 and <= MostNs ? value : null;

    private static double? Share(string text) =>
        text.EndsWith('%') && Number(text[..^1]) / 100 is { } share and >= 1e-6 and < 1 ? share : null;

    private static double? Number(string digits) =>
        double.TryParse(digits, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var value) ? value : null;
}
