using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Published;

/// <summary>An explanation of a published difference: a table, which may be empty, and sentences.</summary>
public sealed record Explained(string Title, TextTable Table, IReadOnlyList<string> Sentences);
