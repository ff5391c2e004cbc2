using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Plots;

/// <summary>One question answered by pictures side by side, with the numbers they are drawn from.</summary>
internal sealed record Plot(string Name, string Title, string Caption, IReadOnlyList<Panel> Panels, IReadOnlyList<TextTable> Numbers);
