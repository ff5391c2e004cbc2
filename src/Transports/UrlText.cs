using System.Text.RegularExpressions;

namespace IpcBench.Transports;

/// <summary>URLs in a form that may be printed and stored. The user and the query of a URL often hold a password or a token.</summary>
public static partial class UrlText
{
    /// <summary>The text that replaces each part that was left out.</summary>
    public const string Hidden = "(hidden)";

    /// <summary>
    /// Returns the text without <c>user:password@</c> and without everything after <c>?</c> or <c>#</c>. A text that is
    /// no URL or path is returned unchanged.
    /// </summary>
    public static string WithoutSecrets(string text)
    {
        var shown = text.Contains('@') ? User().Replace(text, Hidden + "@") : text;
        var mark = shown.AsSpan().IndexOfAny('?', '#');
        return mark >= 0 && mark + 1 < shown.Length && shown.AsSpan(0, mark).ContainsAny('/', ':') ? shown[..(mark + 1)] + Hidden : shown;
    }

    // The user part ends at the last @ of the authority, as in browsers and in Uri.
    [GeneratedRegex(@"(?<=://)[^/?#]*@")]
    private static partial Regex User();
}
