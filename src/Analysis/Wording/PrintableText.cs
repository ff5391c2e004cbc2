using System.Globalization;
using System.Text.RegularExpressions;

namespace IpcBench.Analysis.Wording;

/// <summary>
/// Makes text from any source (a results file, a server, a command line) safe to print: it removes control characters,
/// and characters that reorder or hide text (Unicode TR9 and other format characters).
/// </summary>
public static partial class PrintableText
{
    /// <summary>Returns the text without control and format characters, except for line ends.</summary>
    public static string Of(string text) => text.Any(letter => letter != '\n' && IsObeyed(letter))
        ? string.Concat(text.Where(letter => letter == '\n' || !IsObeyed(letter))) : text;

    /// <summary>
    /// Returns JSON with escaped control and format characters (RFC 8259, 7), except for line ends. Unlike <see cref="Of"/>,
    /// this keeps the content of the JSON.
    /// </summary>
    public static string OfJson(string json) => Of(json).Length == json.Length ? json
        : string.Concat(json.Select(letter => letter != '\n' && IsObeyed(letter)
            ? string.Create(CultureInfo.InvariantCulture, $"\\u{(int)letter:x4}") : letter.ToString()));

    /// <summary>
    /// Does the same as <see cref="Of"/> for a whole screen of this program. It keeps tabs, line ends and the escape
    /// sequences that the program itself writes (ECMA-48: SGR, CPL and ED; hide and show the cursor).
    /// </summary>
    public static string OfScreen(string text) => text.Any(IsObeyed)
        ? ObeyedOrOwn().Replace(text, "${own}") : text;

    /// <summary>Whether a terminal would obey the character (a control or format character) instead of showing it.</summary>
    public static bool IsObeyed(char letter) => char.IsControl(letter) || char.GetUnicodeCategory(letter)
        is UnicodeCategory.Format or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator;

    [GeneratedRegex(@"(?<own>\r?\n|\t|\x1b\[(?:[0-9;]*m|[0-9]+F|0J|\?25[lh]))|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]")]
    private static partial Regex ObeyedOrOwn();
}
