namespace IpcBench.Analysis.Comparison;

/// <summary>A difference of two runs, as text. A side is empty when its file does not have the value.</summary>
public sealed record Difference(string What, string Before, string After);
