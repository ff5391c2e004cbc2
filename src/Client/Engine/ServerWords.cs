using IpcBench.Analysis.Wording;

namespace IpcBench.Client.Engine;

/// <summary>What a server says, as it may be shown and kept.</summary>
internal static class ServerWords
{
    /// <summary>One line that a terminal shows and does not obey.</summary>
    /// <param name="text">In the server's words.</param>
    /// <param name="secrets">What is hidden in it.</param>
    /// <param name="longest">Letters; what is beyond is cut off.</param>
    public static string OneLine(string text, IEnumerable<string> secrets, int longest = 200)
    {
        foreach (var secret in secrets)
            text = text.Replace(secret, "(hidden)", StringComparison.Ordinal);
        // A reader needs one line, in which words stay apart.
        text = string.Concat(text.Select(letter => PrintableText.IsObeyed(letter) ? ' ' : letter)).Trim();
        return text.Length <= longest ? text : text[..longest] + "…";
    }

    /// <summary>What a server may repeat of the values that it was sent: all of them, and the words of those that have several.</summary>
    public static IReadOnlyList<string> Secrets(IEnumerable<string> values) =>
        [.. values.SelectMany(value => value.Split(' ').Append(value)).Where(text => text.Length > 3)
            .Distinct().OrderByDescending(text => text.Length)];
}
