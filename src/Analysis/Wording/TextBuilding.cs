using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;

namespace IpcBench.Analysis.Wording;

/// <summary>Builds text in the invariant culture.</summary>
internal static class TextBuilding
{
    /// <summary>Appends a line. The line end is always \n, so that a file gives the same report on every system.</summary>
    public static StringBuilder Line(this StringBuilder text, string line = "") => text.Append(line).Append('\n');

    public static StringBuilder Line(this StringBuilder text, ref InvariantLine line) => text.Append(line.ToStringAndClear()).Append('\n');

    /// <summary>Appends an interpolated text in the invariant culture, without a line end.</summary>
    public static StringBuilder Put(this StringBuilder text, ref InvariantLine part) => text.Append(part.ToStringAndClear());

    public static string Invariant(ref InvariantLine line) => line.ToStringAndClear();

    /// <summary>Joins parts: "a", "a and b", "a, b and c".</summary>
    public static string And(IReadOnlyList<string> parts) => parts.Count < 2
        ? string.Concat(parts) : string.Join(", ", parts.Take(parts.Count - 1)) + " and " + parts[^1];

    /// <summary>Returns a version without its commit, because the results file has the commit.</summary>
    public static string Version(string text) => text.Split('+')[0];

    public static string Number(double value, string format) => value.ToString(format, CultureInfo.InvariantCulture);
}

/// <summary>Formats an argument <c>$"…"</c> in the invariant culture.</summary>
[InterpolatedStringHandler]
internal ref struct InvariantLine(int literalLength, int formattedCount)
{
    private DefaultInterpolatedStringHandler inner = new(literalLength, formattedCount, CultureInfo.InvariantCulture);

    public void AppendLiteral(string value) => inner.AppendLiteral(value);

    public void AppendFormatted<T>(T value) => inner.AppendFormatted(value);

    public void AppendFormatted<T>(T value, string format) => inner.AppendFormatted(value, format);

    public string ToStringAndClear() => inner.ToStringAndClear();
}
