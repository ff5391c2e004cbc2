using IpcBench.Analysis.Documents;

namespace IpcBench.Analysis.Plots;

/// <summary>All plots in the order of a report. A new plot needs one line here.</summary>
public static class PlotList
{
    // The plots of layers and of --find come first, because each of them answers the question of its run.
    private static readonly IPlot[] All =
    [
        new LayersPlot(), new ObjectivePlot(), new RatioPlot(), new ThroughputPlot(), new CpuPlot(), new SpectrumPlot(),
        new RoundTripPlot(isNormalised: false), new RoundTripPlot(isNormalised: true),
    ];

    public static IReadOnlyList<string> Names { get; } = [.. All.Select(plot => plot.Name)];

    /// <summary>Returns the name of the requested plot. Null when there is no such plot.</summary>
    /// <param name="asked">A name, or <c>promise</c>, which scripts may still use for <c>objective</c>.</param>
    public static string? NameOf(string asked) => asked == "promise" ? "objective" : Names.Contains(asked) ? asked : null;

    /// <summary>Draws the plots that have something to show.</summary>
    internal static IEnumerable<Plot> Draw(ReportModel model) => All.Select(plot => plot.Draw(model)).OfType<Plot>();

    /// <summary>
    /// Draws the plots for a page. A throughput or CPU plot with only one bar is left out, because the answer of the page
    /// has its number.
    /// </summary>
    internal static IEnumerable<Plot> OfPage(ReportModel model) =>
        Draw(model).Where(plot => plot.Name is not ("throughput" or "cpu") || plot.Numbers.Sum(table => table.Rows.Count) > 1);
}
