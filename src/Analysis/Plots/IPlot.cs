using IpcBench.Analysis.Documents;

namespace IpcBench.Analysis.Plots;

/// <summary>Draws one plot.</summary>
internal interface IPlot
{
    /// <summary>As typed after <c>--plot</c>.</summary>
    string Name { get; }

    /// <summary>Null when there is nothing to draw.</summary>
    Plot? Of(ReportModel model);
}
