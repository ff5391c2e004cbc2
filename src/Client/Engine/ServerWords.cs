using System.Globalization;

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
        // A terminal obeys control characters and turns text round at others (Unicode TR9), and a reader needs one line.
        text = string.Concat(text.Select(letter => IsObeyed(letter) ? ' ' : letter)).Trim();
        return text.Length <= longest ? text : text[..longest] + "…";
    }

    /// <summary>What a server may repeat of the values that it was sent: all of them, and the words of those that have several.</summary>
    public static IReadOnlyList<string> Secrets(IEnumerable<string> values) =>
        [.. values.SelectMany(value => value.Split(' ').Append(value)).Where(text => text.Length > 3)
            .Distinct().OrderByDescending(text => text.Length)];

    private static bool IsObeyed(char letter) => char.IsControl(letter)
        || char.GetUnicodeCategory(letter) is UnicodeCategory.Format or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator;
}
