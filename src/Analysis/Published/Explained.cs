using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Published;

/// <summary>A computed explanation: a table, which may be empty, and sentences.</summary>
public sealed record Explained(string Title, TextTable Table, IReadOnlyList<string> Sentences);
