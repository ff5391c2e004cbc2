using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Plots;

/// <summary>Every plot there is: a new one is one line here.</summary>
public static class PlotList
{
    private static readonly IPlot[] All = [new ThroughputPlot(), new RatioPlot(), new CpuPlot(), new SpectrumPlot(), new RoundsPlot(),
        new RoundTripPlot(isNormalised: false), new RoundTripPlot(isNormalised: true), new LayersPlot()];

    public static IReadOnlyList<string> Names { get; } = [.. All.Select(plot => plot.Name)];

    /// <summary>The plots that have something to show.</summary>
    internal static IEnumerable<Plot> Of(ReportModel model) => All.Select(plot => plot.Of(model)).OfType<Plot>();
}

/// <summary>Draws one plot.</summary>
internal interface IPlot
{
    /// <summary>As typed after <c>--plot</c>.</summary>
    string Name { get; }

    /// <summary>Null when there is nothing to draw.</summary>
    Plot? Of(ReportModel model);
}

/// <summary>One question answered by pictures side by side, with the numbers they are drawn from.</summary>
internal sealed record Plot(string Name, string Title, string Caption, IReadOnlyList<Panel> Panels, IReadOnlyList<TextTable> Numbers);

/// <summary>One picture: its marks in a box, and what it shows in words for those who do not see it.</summary>
internal sealed record Panel(string Title, string Description, double Width, double Height, string Marks);
