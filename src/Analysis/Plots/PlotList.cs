using IpcBench.Analysis.Documents;

namespace IpcBench.Analysis.Plots;

/// <summary>Every plot there is: a new one is one line here.</summary>
public static class PlotList
{
    private static readonly IPlot[] All = [new ThroughputPlot(), new RatioPlot(), new CpuPlot(), new SpectrumPlot(), new RoundsPlot(), new RoundTripPlot(isNormalised: false), new RoundTripPlot(isNormalised: true), new LayersPlot()];

    public static IReadOnlyList<string> Names { get; } = [.. All.Select(plot => plot.Name)];

    /// <summary>The plots that have something to show.</summary>
    internal static IEnumerable<Plot> Of(ReportModel model) => All.Select(plot => plot.Of(model)).OfType<Plot>();
}
