using System.Globalization;

namespace IpcBench.Host;

/// <summary>Reads numbers with units from the command lines of client and server.</summary>
public static class Units
{
    private static readonly (string Suffix, double Factor)[] Counts =
    [
        ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9),
        ("k", 1e3), ("K", 1e3), ("M", 1e6), ("G", 1e9), ("B", 1), ("", 1),
    ];

    private static readonly (string Suffix, double Factor)[] Times =
        [("ns", 1e-9), ("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("s", 1), ("m", 60), ("h", 3600), ("", 1)];

    /// <summary>
    /// Reads a number of bytes or calls. <c>k</c> and <c>M</c> are decimal, <c>KiB</c> and <c>MiB</c> binary. Null for any other text.
    /// </summary>
    public static double? Count(string text) => Scaled(text, Counts);

    /// <summary>Reads a duration in seconds. A bare number is seconds. Null for any other text.</summary>
    public static double? Seconds(string text) => Scaled(text, Times);

    private static double? Scaled(string text, (string Suffix, double Factor)[] units)
    {
        foreach (var (suffix, factor) in units)
        {
            if (!text.EndsWith(suffix, StringComparison.Ordinal))
                continue;
            var digits = text[..^suffix.Length].TrimEnd();
            // .NET also parses "NaN" and "Infinity" as numbers.
            if (double.TryParse(digits, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var number)
                && double.IsFinite(number))
                return number * factor;
        }
        return null;
    }
}
