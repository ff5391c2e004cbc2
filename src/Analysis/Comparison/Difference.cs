namespace IpcBench.Analysis.Comparison;

/// <summary>A difference of two runs, as text. A text is empty when the file of that run does not have the value.</summary>
public sealed record Difference(string What, string Before, string After);
