using System.Globalization;
using System.Text.RegularExpressions;

namespace IpcBench.Analysis.Wording;

/// <summary>
/// Text that may come from anywhere (a results file, a server, a command line) as a terminal shows it and does not obey it: without control
/// characters, and without those that turn text round or hide it (Unicode TR9 and the other format characters).
/// </summary>
public static partial class PrintableText
{
    /// <summary>The text without what a terminal would obey; lines stay lines.</summary>
    public static string Of(string text) => text.Any(letter => letter != '\n' && IsObeyed(letter))
        ? string.Concat(text.Where(letter => letter == '\n' || !IsObeyed(letter))) : text;

    /// <summary>The same for JSON, whose texts keep all they hold: what a terminal would obey is escaped (RFC 8259, 7).</summary>
    public static string OfJson(string json) => Of(json).Length == json.Length ? json
        : string.Concat(json.Select(letter => letter != '\n' && IsObeyed(letter)
            ? string.Create(CultureInfo.InvariantCulture, $"\\u{(int)letter:x4}") : letter.ToString()));

    /// <summary>
    /// The same for a whole screen of this program: tabs, ends of lines and the colours and movements that it writes itself stay
    /// (ECMA-48: SGR, CPL and ED; the cursor that is hidden and shown).
    /// </summary>
    public static string OfScreen(string text) => text.Any(IsObeyed)
        ? ObeyedOrOwn().Replace(text, "${own}") : text;

    /// <summary>Whether a terminal does something else with the letter than to show it.</summary>
    public static bool IsObeyed(char letter) => char.IsControl(letter) || char.GetUnicodeCategory(letter)
        is UnicodeCategory.Format or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator;

    [GeneratedRegex(@"(?<own>\r?\n|\t|\x1b\[(?:[0-9;]*m|[0-9]+F|0J|\?25[lh]))|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]")]
    private static partial Regex ObeyedOrOwn();
}
