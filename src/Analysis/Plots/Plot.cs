using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Plots;

/// <summary>Pictures that answer a question, with the numbers behind them.</summary>
/// <param name="Name">The name for <c>--plot</c>.</param>
/// <param name="IsMain">Whether the plot answers the main question and is drawn large.</param>
internal sealed record Plot(
    string Name, string Title, string Caption, IReadOnlyList<Panel> Panels, IReadOnlyList<TextTable> Numbers, bool IsMain = false)
{
    /// <summary>A remark that a reader needs even if the picture is shown without its caption. Empty for most plots.</summary>
    public string Note { get; init; } = "";
}
