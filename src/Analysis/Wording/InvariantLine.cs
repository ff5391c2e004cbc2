using System.Globalization;
using System.Runtime.CompilerServices;

namespace IpcBench.Analysis.Wording;

/// <summary>Makes <c>$"…"</c> invariant wherever it is taken as an argument.</summary>
[InterpolatedStringHandler]
internal ref struct InvariantLine(int literalLength, int formattedCount)
{
    private DefaultInterpolatedStringHandler inner = new(literalLength, formattedCount, CultureInfo.InvariantCulture);

    public void AppendLiteral(string value) => inner.AppendLiteral(value);

    public void AppendFormatted<T>(T value) => inner.AppendFormatted(value);

    public void AppendFormatted<T>(T value, string format) => inner.AppendFormatted(value, format);

    public string ToStringAndClear() => inner.ToStringAndClear();
}
