using System.Globalization;

namespace IpcBench.Analysis.Renderers;

/// <summary>Numbers as wrk writes them (units.c there): the next unit from 85 % of it on.</summary>
internal static class WrkUnits
{
    private static readonly string[] Metric = ["", "k", "M", "G", "T"], Binary = ["", "K", "M", "G", "T"], Micros = ["us", "ms"],
        Seconds = ["s", "m"];

    /// <summary>A rate or count: <c>12.34k</c>.</summary>
    public static string Count(double value) => Scaled(value, Metric, 1000, "0.00");

    /// <summary>Bytes, without the B: <c>1.20M</c>.</summary>
    public static string Bytes(double value) => Scaled(value, Binary, 1024, "0.00");

    /// <summary>A duration in ns: <c>850.00us</c>, <c>1.20ms</c>, <c>10.05s</c>.</summary>
    public static string Time(double ns) => ns >= 1e9 ? Scaled(ns / 1e9, Seconds, 60, "0.00") : Scaled(ns / 1e3, Micros, 1000, "0.00");

    /// <summary>A length that was asked for, in ns: <c>10s</c>, <c>2m</c>.</summary>
    public static string WholeTime(double ns) => Scaled(ns / 1e9, Seconds, 60, "0");

    /// <summary>Right in its column; units of no or one letter have blanks behind, so that digits stand below each other.</summary>
    public static string InColumn(string text, int width)
    {
        var blanks = 2 - text.Reverse().Take(2).Count(char.IsAsciiLetter);
        return text.PadLeft(width - blanks)[..(width - blanks)] + new string(' ', blanks);
    }

    private static string Scaled(double value, string[] units, double step, string format)
    {
        var unit = 0;
        for (; unit < units.Length - 1 && value >= step * 0.85; unit++)
            value /= step;
        return value.ToString(format, CultureInfo.InvariantCulture) + units[unit];
    }
}
