using System.Globalization;

namespace IpcBench.Analysis.Wording;

/// <summary>Formats numbers with their units, in the invariant culture.</summary>
public static class Quantity
{
    /// <summary>The text in place of a missing number.</summary>
    public const string None = "–";

    public static string Show(double value, Unit unit) => unit switch
    {
        Unit.PerSecond => Count(value),
        Unit.BytesPerSecond => Bytes(value) + "/s",
        Unit.Bytes => Bytes(value),
        Unit.Nanoseconds => Duration(value),
        Unit.NanosecondsPerCall => Micros(value),
        Unit.Share => Percent(value),
        Unit.PerCall => Significant(value),
        Unit.Count => Count(value),
    };

    /// <summary>Formats a count: 1234567 → 1,234,567.</summary>
    public static string Count(double value) => value is > 0 and < 10
        ? Significant(value) : value.ToString("#,0", CultureInfo.InvariantCulture);

    /// <summary>Formats a number with a noun: 1 round, 12 rounds, 10,000 connections.</summary>
    public static string Many(long count, string what) => count.ToString("#,0", CultureInfo.InvariantCulture) + " "
        + (count == 1 ? what : what.EndsWith('y') ? what[..^1] + "ies" : what + "s");

    /// <summary>Formats the CPU time of a call, always in µs, so that the numbers of a column can be compared.</summary>
    public static string Micros(double ns) => (ns / 1000).ToString(ns < 100_000 ? "0.0" : "#,0", CultureInfo.InvariantCulture) + " µs";

    /// <summary>
    /// Formats a time in µs without its unit. A small time has more digits, because a bound of a decided difference is not 0.
    /// </summary>
    public static string BareMicros(double ns) => (ns < 0 ? "−" : "") + (Math.Abs(ns) is > 0 and < 50 ? Significant(Math.Abs(ns) / 1000)
        : Micros(Math.Abs(ns)).Replace(" µs", "", StringComparison.Ordinal));

    /// <summary>Reads a time with its unit, in ns: <c>30us</c>, <c>1.5ms</c>. Null for any other text.</summary>
    public static double? ParseNs(string text)
    {
        foreach (var (unit, ns) in new[] { ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("ns", 1.0), ("s", 1e9) })
        {
            if (text.EndsWith(unit, StringComparison.Ordinal)
                && double.TryParse(text[..^unit.Length], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var count))
                return count * ns;
        }
        return null;
    }

    /// <summary>Formats a duration with three digits in a suitable unit: 87.1 µs, 2.59 ms, 1.20 s.</summary>
    public static string Duration(double ns) => ns switch
    {
        < 999.5 => Fixed(ns) + " ns",
        < 999.5e3 => Fixed(ns / 1e3) + " µs",
        < 999.5e6 => Fixed(ns / 1e6) + " ms",
        _ => Fixed(ns / 1e9) + " s",
    };

    /// <summary>Formats a requested time: 2 s, 0.5 s.</summary>
    public static string Seconds(long ns) => (ns / 1e9).ToString("0.###", CultureInfo.InvariantCulture) + " s";

    /// <summary>Formats bytes in decimal units: 10 B, 1.5 kB, 1.21 GB.</summary>
    public static string Bytes(double bytes) => Math.Abs(bytes) switch
    {
        < 1e3 => (Math.Abs(bytes) < 10 ? Significant(bytes) : bytes.ToString("0", CultureInfo.InvariantCulture)) + " B",
        < 1e6 => Significant(bytes / 1e3) + " kB",
        < 1e9 => Significant(bytes / 1e6) + " MB",
        < 1e12 => Significant(bytes / 1e9) + " GB",
        _ => Significant(bytes / 1e12) + " TB",
    };

    /// <summary>Formats a requested size exactly: 10 B, 1 kB, 64 KiB, 1 MB.</summary>
    public static string Size(long bytes) => bytes switch
    {
        >= 1_000_000 when bytes % 100_000 == 0 => (bytes / 1e6).ToString("0.#", CultureInfo.InvariantCulture) + " MB",
        >= 1 << 20 when bytes % (1 << 20) == 0 => (bytes >> 20).ToString(CultureInfo.InvariantCulture) + " MiB",
        >= 1000 when bytes % 100 == 0 => (bytes / 1e3).ToString("#,0.#", CultureInfo.InvariantCulture) + " kB",
        >= 1 << 10 when bytes % (1 << 10) == 0 => (bytes >> 10).ToString(CultureInfo.InvariantCulture) + " KiB",
        _ => bytes.ToString("#,0", CultureInfo.InvariantCulture) + " B",
    };

    /// <summary>Formats a share in percent: 0.034 → 3.4 %.</summary>
    public static string Percent(double share)
    {
        var percent = share * 100;
        return percent.ToString(Math.Abs(percent) < 9.95 ? "0.0" : "#,0", CultureInfo.InvariantCulture) + " %";
    }

    /// <summary>Formats a ratio as a multiple: 1.23×.</summary>
    public static string Ratio(double ratio) => ratio.ToString(ratio < 9.995 ? "0.00" : "0.0", CultureInfo.InvariantCulture) + "×";

    /// <summary>Formats a ratio as a change: +23 %, −4.1 %.</summary>
    public static string Change(double ratio)
    {
        var text = Percent(Math.Abs(ratio - 1));
        return (ratio >= 1 ? "+" : "−") + text;
    }

    /// <summary>Formats a number without trailing zeros: 99.9.</summary>
    public static string Plain(double value) => value.ToString("0.######", CultureInfo.InvariantCulture);

    /// <summary>Formats a number with at most three significant digits (from 1,000 as an integer), without trailing zeros.</summary>
    public static string Significant(double value) => Math.Abs(value) switch
    {
        0 => "0",
        < 0.001 => value.ToString("0.0E+0", CultureInfo.InvariantCulture),
        < 1 => value.ToString("0.###", CultureInfo.InvariantCulture),
        < 9.995 => value.ToString("0.##", CultureInfo.InvariantCulture),
        < 99.95 => value.ToString("0.#", CultureInfo.InvariantCulture),
        _ => value.ToString("#,0", CultureInfo.InvariantCulture),
    };

    private static string Fixed(double value) =>
        value.ToString(value < 9.995 ? "0.00" : value < 99.95 ? "0.0" : "0", CultureInfo.InvariantCulture);
}
