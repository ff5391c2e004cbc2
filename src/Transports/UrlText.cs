using System.Text.RegularExpressions;

namespace IpcBench.Transports;

/// <summary>URLs as they may be printed and kept: a user and a query often are a password or a token.</summary>
public static partial class UrlText
{
    /// <summary>What stands where something was left out.</summary>
    public const string Hidden = "(hidden)";

    /// <summary>
    /// The text with <c>user:password@</c> and everything after <c>?</c> or <c>#</c> left out; a text that is no URL or path stays as it
    /// is.
    /// </summary>
    public static string WithoutSecrets(string text)
    {
        var shown = User().Replace(text, Hidden + "@");
        var mark = shown.AsSpan().IndexOfAny('?', '#');
        return mark >= 0 && mark + 1 < shown.Length && shown.AsSpan(0, mark).ContainsAny('/', ':') ? shown[..(mark + 1)] + Hidden : shown;
    }

    // Up to the last @ of the authority, as browsers and Uri read it.
    [GeneratedRegex(@"(?<=://)[^/?#]*@")]
    private static partial Regex User();
}
