using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;

namespace IpcBench.Analysis.Wording;

/// <summary>Builds text in the invariant culture.</summary>
internal static class TextBuilding
{
    /// <summary>Appends a line. The line end is always \n, so that a file gives the same report on every system.</summary>
    public static StringBuilder Line(this StringBuilder text, string line = "") => text.Append(line).Append('\n');

    public static StringBuilder Line(this StringBuilder text, ref InvariantLine line) => text.Append(line.ToStringAndClear()).Append('\n');

    /// <summary>Appends an interpolated text in the invariant culture, without a line end.</summary>
    public static StringBuilder Put(this StringBuilder text, ref InvariantLine part) => text.Append(part.ToStringAndClear());

    public static StringBuilder TrimEnd(this StringBuilder text)
    {
        while (text.Length > 0 && text[^1] == ' ')
            text.Length--;
        return text;
    }

    /// <summary>Returns an interpolated text in the invariant culture.</summary>
    public static string Invariant(ref InvariantLine line) => line.ToStringAndClear();

    /// <summary>Joins parts: "a", "a and b", "a, b and c".</summary>
    public static string And(IReadOnlyList<string> parts) => parts.Count < 2
        ? string.Concat(parts) : string.Join(", ", parts.Take(parts.Count - 1)) + " and " + parts[^1];

    /// <summary>Returns a version without its commit, because the results file has the commit.</summary>
    public static string Version(string text) => text.Split('+')[0];

    public static string Number(double value, string format) => value.ToString(format, CultureInfo.InvariantCulture);
}

/// <summary>Failures of calls as text.</summary>
internal static class FailureText
{
    private const string Status = "status ";

    // https://github.com/grpc/grpc/blob/master/doc/statuscodes.md
    private static readonly string[] Names =
    [
        "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
        "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE",
        "DATA_LOSS", "UNAUTHENTICATED",
    ];

    /// <summary>Describes the failures of a kind: <c>status 5 NOT_FOUND: 12 ("no such cart")</c>.</summary>
    public static string Describe(string kind, long count, string? message) =>
        TextBuilding.Invariant($"{kind}{NameOf(kind)}: {count}") + (message is { Length: > 0 } ? $" (\"{message}\")" : "");

    private static string NameOf(string kind) =>
        kind.StartsWith(Status, StringComparison.Ordinal) && int.TryParse(kind.AsSpan(Status.Length), out var code)
            && code > 0 && code < Names.Length ? " " + Names[code] : "";
}

/// <summary>Formats an argument <c>$"…"</c> in the invariant culture.</summary>
[InterpolatedStringHandler]
internal ref struct InvariantLine(int literalLength, int formattedCount)
{
    private DefaultInterpolatedStringHandler inner = new(literalLength, formattedCount, CultureInfo.InvariantCulture);

    public void AppendLiteral(string value) => inner.AppendLiteral(value);

    public void AppendFormatted<T>(T value) => inner.AppendFormatted(value);

    public void AppendFormatted<T>(T value, string format) => inner.AppendFormatted(value, format);

    public string ToStringAndClear() => inner.ToStringAndClear();
}

/// <summary>Wraps text into lines of a terminal.</summary>
public static class TextWrapping
{
    /// <summary>Returns the words in lines of at most this many columns. A longer word gets a line of its own.</summary>
    /// <param name="width">The number of columns. Null for one line.</param>
    /// <param name="indent">The text before the first line.</param>
    /// <param name="hanging">The text before the other lines.</param>
    public static IEnumerable<string> Lines(string text, int? width, string indent = "", string hanging = "")
    {
        if (width is not { } most)
        {
            yield return indent + text;
            yield break;
        }
        var line = indent;
        var isEmpty = true;
        foreach (var word in Words(text))
        {
            if (!isEmpty && line.Length + 1 + word.Length > most)
            {
                yield return line;
                (line, isEmpty) = (hanging, true);
            }
            line += (isEmpty ? "" : " ") + word;
            isEmpty = false;
        }
        yield return line;
    }

    /// <summary>Returns the text, or its beginning with an ellipsis if the text is too long.</summary>
    public static string Cut(string text, int? width) =>
        width is { } most && text.Length > most ? text[..Math.Max(0, most - 1)] + "…" : text;

    // A number and its unit stay on one line: "7.0 %", "3 × 2".
    private static List<string> Words(string text)
    {
        var words = new List<string>();
        foreach (var word in text.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            var joins = words.Count > 0 && words[^1].Length > 0 && char.IsAsciiDigit(words[^1][^1]) && IsUnit(word);
            if (joins)
                words[^1] += " " + word;
            else
                words.Add(word);
        }
        return words;
    }

    private static bool IsUnit(string word) => word.TrimEnd(',', '.', ';', ':', ')', ']')
        is "%" or "×" or "ns" or "µs" or "ms" or "s" or "B" or "kB" or "MB" or "GB" or "KiB" or "MiB";
}
