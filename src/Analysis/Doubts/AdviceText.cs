using System.Text.RegularExpressions;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Doubts;

/// <summary>Writes an advice as sentences.</summary>
public static partial class AdviceText
{
    public static string Doubt(Advice advice) => Sentence(advice.Doubt);

    public static string Fix(Advice advice) => Sentence(advice.Fix);

    /// <summary>
    /// Shortens the doubt to a few words that fit on one line: what was seen, in which round or load, and in how many cells.
    /// </summary>
    public static string Brief(Advice advice)
    {
        var whole = advice.Doubt.Trim().TrimEnd('.');
        var place = Place().Match(whole);
        var text = whole[place.Length..];
        if (text.Length == 0)
            return "";
        var end = new[] { ": ", "; ", " (", ", e.g." }.Select(mark => text.IndexOf(mark, StringComparison.Ordinal)).Where(at => at > 0)
            .DefaultIfEmpty(text.Length).Min();
        var worst = Worst().Match(whole);
        string[] scope =
        [
            place.Groups["round"] is { Success: true } round ? $"round {round.Value}"
                : place.Groups["load"] is { Success: true } load ? load.Value : "",
            worst.Success ? $"{worst.Groups[1].Value} cells" : "",
        ];
        return (text.Length > 1 && char.IsLower(text[1]) ? char.ToLowerInvariant(text[0]) : text[0]) + text[1..end]
            + (string.Join("; ", scope.Where(part => part.Length > 0)) is { Length: > 0 } all ? $" ({all})" : "");
    }

    public static string Both(Advice advice) => $"{Doubt(advice)} {Fix(advice)}".Trim();

    [GeneratedRegex(@"^(At [^,:]*, (?<load>.*?): )?(in round (?<round>\d+) )?", RegexOptions.ExplicitCapture)]
    private static partial Regex Place();

    [GeneratedRegex(@"\(the worst of (\d+) such cells out of (\d+)\)$")]
    private static partial Regex Worst();

    private static string Sentence(string text)
    {
        var trimmed = text.Trim();
        return trimmed.Length == 0 ? "" : char.ToUpperInvariant(trimmed[0]) + trimmed[1..] + (trimmed[^1] is '.' or '!' or '?' ? "" : ".");
    }
}
