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
    public static string Of(string text) => Obeyed().Replace(text, match => match.Value == "\n" ? "\n" : "");

    /// <summary>
    /// Returns JSON with escaped control and format characters (RFC 8259, 7), except for line ends. Unlike <see cref="Of"/>,
    /// this keeps the content of the JSON.
    /// </summary>
    public static string OfJson(string json) => Obeyed().Replace(json, match => match.Value == "\n" ? "\n"
        : string.Concat(match.Value.Select(letter => string.Create(CultureInfo.InvariantCulture, $"\\u{(int)letter:x4}"))));

    /// <summary>Returns the text in one line, with a space for each control and format character.</summary>
    public static string OfLine(string text) => Obeyed().Replace(text, " ");

    /// <summary>
    /// Does the same as <see cref="Of"/> for a whole screen of this program. It keeps tabs, line ends and the escape
    /// sequences that the program itself writes (ECMA-48: SGR, CPL and ED; hide and show the cursor).
    /// </summary>
    public static string OfScreen(string text) => ObeyedOrOwn().Replace(text, "${own}");

    // The characters that a terminal obeys instead of showing them. Those beyond U+FFFF are two chars each (Unicode 16: U+110BD, U+110CD,
    // U+13430 to U+1345F, U+1BCA0 to U+1BCA3, U+1D173 to U+1D17A, U+E0001, U+E0020 to U+E007F).
    private const string ObeyedPattern = @"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|\uD804[\uDCBD\uDCCD]|\uD80D[\uDC30-\uDC5F]"
        + @"|\uD82F[\uDCA0-\uDCA3]|\uD834[\uDD73-\uDD7A]|\uDB40[\uDC01\uDC20-\uDC7F]";

    [GeneratedRegex(ObeyedPattern)]
    private static partial Regex Obeyed();

    [GeneratedRegex(@"(?<own>\r?\n|\t|\x1b\[(?:[0-9;]*m|[0-9]+F|0J|\?25[lh]))|" + ObeyedPattern)]
    private static partial Regex ObeyedOrOwn();
}
