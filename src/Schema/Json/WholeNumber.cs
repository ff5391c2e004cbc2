using System.Globalization;
using System.Text.RegularExpressions;

namespace IpcBench.Schema.Json;

/// <summary>Whole numbers as the JSON mapping allows them: 1000, 1e3, 1000.0, exactly and without a detour over floating point.</summary>
internal static partial class WholeNumber
{
    // The digits of 2^64.
    private const int MostDigits = 20;

    /// <summary>The number, or null when the text is no number, is not whole, or has more digits than any integer type.</summary>
    public static Int128? Parse(string text)
    {
        var match = Form().Match(text);
        if (!match.Success)
            return null;
        var fraction = match.Groups["fraction"].Value;
        var digits = (match.Groups["whole"].Value + fraction).TrimStart('0');
        var significant = digits.TrimEnd('0');
        if (significant.Length == 0)
            return 0;
        var written = match.Groups["exponent"];
        var exponent = written.Length == 0 ? 0 : int.Parse(written.ValueSpan, CultureInfo.InvariantCulture);
        var zeros = exponent - fraction.Length + digits.Length - significant.Length;
        if (zeros < 0 || significant.Length + zeros > MostDigits)
            return null;
        var number = Int128.Parse(significant + new string('0', zeros), CultureInfo.InvariantCulture);
        return match.Groups["sign"].Length > 0 ? -number : number;
    }

    [GeneratedRegex(
        @"\A(?<sign>-?)(?<whole>[0-9]+)(\.(?<fraction>[0-9]+))?([eE](?<exponent>[+-]?[0-9]{1,6}))?\z",
        RegexOptions.ExplicitCapture | RegexOptions.CultureInvariant)]
    private static partial Regex Form();
}
