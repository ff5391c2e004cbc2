using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;

namespace IpcBench.Schema.Json;

/// <summary>
/// Reads and writes Timestamp, Duration and FieldMask in the text forms that their .proto files define. Each method returns
/// null for an invalid text or value.
/// </summary>
internal static partial class WellKnownText
{
    // 10,000 years, the limit in duration.proto.
    private const long LongestDuration = 315_576_000_000;

    /// <summary>Reads an RFC 3339 text of the years 1 to 9999, with up to nine decimal places of a second.</summary>
    public static (long Seconds, int Nanos)? ParseTimestamp(string text)
    {
        var match = TimestampForm().Match(text);
        if (!match.Success || !DateTime.TryParseExact(match.Groups["time"].ValueSpan, "yyyy-MM-ddTHH:mm:ss", CultureInfo.InvariantCulture,
            DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal, out var time))
            return null;
        var offset = TimeSpan.Zero;
        if (match.Groups["offset"].Length > 0)
        {
            var (hours, minutes) = (Number(match.Groups["hours"]), Number(match.Groups["minutes"]));
            if (hours > 23 || minutes > 59)
                return null;
            offset = new TimeSpan((int)hours, (int)minutes, 0) * (match.Groups["offset"].Value[0] == '-' ? -1 : 1);
        }
        var seconds = (time.Ticks - DateTime.UnixEpoch.Ticks - offset.Ticks) / TimeSpan.TicksPerSecond;
        return seconds < FirstSecond || seconds > LastSecond ? null : (seconds, Nanos(match.Groups["fraction"].Value));
    }

    public static string? Timestamp(long seconds, int nanos) =>
        seconds < FirstSecond || seconds > LastSecond || nanos is < 0 or > 999_999_999
            ? null
            : DateTime.UnixEpoch.AddSeconds(seconds).ToString("yyyy-MM-ddTHH:mm:ss", CultureInfo.InvariantCulture) + Fraction(nanos) + "Z";

    /// <summary>
    /// Reads seconds with up to nine decimal places, followed by <c>s</c>. The returned seconds and nanoseconds have the same sign.
    /// </summary>
    public static (long Seconds, int Nanos)? ParseDuration(string text)
    {
        var match = DurationForm().Match(text);
        if (!match.Success)
            return null;
        var sign = match.Groups["sign"].Length > 0 ? -1 : 1;
        var (seconds, nanos) = (Number(match.Groups["seconds"]), Nanos(match.Groups["fraction"].Value));
        return seconds > LongestDuration || (seconds == LongestDuration && nanos > 0) ? null : (sign * seconds, sign * nanos);
    }

    public static string? Duration(long seconds, int nanos)
    {
        var ofOneSign = seconds == 0 || nanos == 0 || seconds > 0 == nanos > 0;
        if (seconds is < -LongestDuration or > LongestDuration || nanos is < -999_999_999 or > 999_999_999 || !ofOneSign)
            return null;
        var sign = seconds < 0 || nanos < 0 ? "-" : "";
        return $"{sign}{Math.Abs(seconds).ToString(CultureInfo.InvariantCulture)}{Fraction(Math.Abs(nanos))}s";
    }

    /// <summary>Reads <c>user.displayName,photo</c> as the paths <c>user.display_name</c> and <c>photo</c>.</summary>
    public static IReadOnlyList<string>? ParseMask(string text)
    {
        if (text.Length == 0)
            return [];
        if (!MaskForm().IsMatch(text))
            return null;
        var paths = new StringBuilder(text.Length);
        foreach (var letter in text)
            paths.Append(char.IsAsciiLetterUpper(letter) ? $"_{char.ToLowerInvariant(letter)}" : letter);
        return paths.ToString().Split(',');
    }

    public static string? Mask(IEnumerable<string> paths)
    {
        var text = string.Join(',', paths);
        // Not every path can be written in camel case. So the text in camel case is used only if reading it gives the same paths.
        var camel = Underscored().Replace(text, match => match.Groups["letter"].Value.ToUpperInvariant());
        return ParseMask(camel) is { } back && string.Join(',', back) == text ? camel : null;
    }

    private static long FirstSecond { get; } = (DateTime.MinValue.Ticks - DateTime.UnixEpoch.Ticks) / TimeSpan.TicksPerSecond;

    private static long LastSecond { get; } = (DateTime.MaxValue.Ticks - DateTime.UnixEpoch.Ticks) / TimeSpan.TicksPerSecond;

    private static long Number(Group digits) => long.Parse(digits.ValueSpan, CultureInfo.InvariantCulture);

    private static int Nanos(string fraction) =>
        fraction.Length == 0 ? 0 : int.Parse(fraction.PadRight(9, '0'), CultureInfo.InvariantCulture);

    // Writes three, six or nine digits, as all implementations do.
    private static string Fraction(int nanos)
    {
        var digits = nanos.ToString("D9", CultureInfo.InvariantCulture);
        return nanos == 0 ? "" : "." + (nanos % 1_000_000 == 0 ? digits[..3] : nanos % 1_000 == 0 ? digits[..6] : digits);
    }

    private const RegexOptions Options = RegexOptions.ExplicitCapture | RegexOptions.CultureInvariant;

    [GeneratedRegex(
        @"\A(?<time>[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(\.(?<fraction>[0-9]{1,9}))?"
        + @"(Z|(?<offset>[+-](?<hours>[0-9]{2}):(?<minutes>[0-9]{2})))\z", Options)]
    private static partial Regex TimestampForm();

    [GeneratedRegex(@"\A(?<sign>-?)(?<seconds>[0-9]{1,12})(\.(?<fraction>[0-9]{1,9}))?s\z", Options)]
    private static partial Regex DurationForm();

    [GeneratedRegex(@"\A[A-Za-z0-9.]+(,[A-Za-z0-9.]+)*\z", Options)]
    private static partial Regex MaskForm();

    [GeneratedRegex("_(?<letter>[a-z])", Options)]
    private static partial Regex Underscored();
}
