namespace IpcBench.Analysis.Doubts;

/// <summary>What is doubtful about one cell; the most severe finding speaks for all cells.</summary>
/// <param name="Severity">Larger is worse.</param>
/// <param name="Doubt">What was seen, without the name of the cell and without a full stop.</param>
internal sealed record Finding(double Severity, string Doubt);
