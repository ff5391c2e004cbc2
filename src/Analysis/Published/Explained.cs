using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Published;

/// <summary>An explanation that was computed: a table, which may be empty, and what it says in words.</summary>
public sealed record Explained(string Title, TextTable Table, IReadOnlyList<string> Sentences);
