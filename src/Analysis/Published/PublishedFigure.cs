using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Published;

/// <summary>One number of a published table and the cell that measures the same here.</summary>
/// <param name="What">The row, as people say it: <c>Unix socket, 1 MB</c>.</param>
/// <param name="Cell">Where the same is measured.</param>
/// <param name="Metric">What the number is.</param>
/// <param name="Value">In the metric's unit; null where it could not be read.</param>
/// <param name="Origin">How well it is known.</param>
public sealed record PublishedFigure(string What, CellChoice Cell, Metric Metric, double? Value, PublishedOrigin Origin = PublishedOrigin.Original)
{
    /// <summary>The value with its unit, – when there is none.</summary>
    public string Text => Value is { } value ? Quantity.Show(value, Metric.Unit) : Quantity.None;
}
