using IpcBench.Analysis.Documents;

namespace IpcBench.Analysis.Plots;

/// <summary>Draws one plot.</summary>
internal interface IPlot
{
    /// <summary>The name for <c>--plot</c>.</summary>
    string Name { get; }

    /// <summary>Draws the plot. Null when there is nothing to draw.</summary>
    Plot? Draw(ReportModel model);
}
