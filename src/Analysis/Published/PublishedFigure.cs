using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Published;

/// <summary>A number in a published table, and the cell that repeats its measurement.</summary>
/// <param name="What">The name of the row: <c>Unix socket, 1 MB</c>.</param>
/// <param name="Cell">The cell that repeats the measurement.</param>
/// <param name="Value">The number in the metric's unit. Null when the number could not be read.</param>
/// <param name="Origin">How reliable the number is.</param>
public sealed record PublishedFigure(string What, CellChoice Cell, Metric Metric, double? Value,
    PublishedOrigin Origin = PublishedOrigin.Original)
{
    /// <summary>The value with its unit, or "–" if the value is unknown.</summary>
    public string Text => Value is { } value ? Quantity.Show(value, Metric.Unit) : Quantity.None;
}
