namespace IpcBench.Analysis.Comparison;

/// <summary>One respect in which two runs differ, as text; empty where one does not tell.</summary>
public sealed record Difference(string What, string Before, string After);
