using IpcBench.Analysis.Wording;

namespace IpcBench.Client.Engine;

/// <summary>Brings texts of servers into a form that may be shown and stored.</summary>
internal static class ServerWords
{
    /// <summary>Returns the text on one line, without secrets and without control characters that a terminal would obey.</summary>
    /// <param name="longest">The largest number of characters of the text to return. A longer text is cut and gets an ellipsis.</param>
    public static string OneLine(string text, IEnumerable<string> secrets, int longest = 200)
    {
        foreach (var secret in secrets)
            text = text.Replace(secret, "(hidden)", StringComparison.Ordinal);
        text = PrintableText.OfLine(text).Trim();
        return text.Length <= longest ? text : text[..longest] + "…";
    }

    /// <summary>
    /// Lists the texts to hide in messages of a server: each value that was sent to the server, and each word of a value.
    /// Texts of at most 3 characters are not hidden.
    /// </summary>
    public static IReadOnlyList<string> Secrets(IEnumerable<string> values) =>
        [.. values.SelectMany(value => value.Split(' ').Append(value)).Where(text => text.Length > 3)
            .Distinct().OrderByDescending(text => text.Length)];
}
