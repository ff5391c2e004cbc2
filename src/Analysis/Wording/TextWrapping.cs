namespace IpcBench.Analysis.Wording;

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

    // A number and its unit stay on one line, and so does an interval: "7.0 %", "3 × 2", "[−2.5, 12]".
    internal static List<string> Words(string text)
    {
        var words = new List<string>();
        foreach (var word in text.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            var joins = words is [.., [.., var last] before]
                && ((char.IsAsciiDigit(last) && IsUnit(word)) || before is ['[', (>= '0' and <= '9') or '−' or '+', .., ',']);
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
