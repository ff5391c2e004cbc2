namespace IpcBench.Analysis.Results;

/// <summary>A reason to doubt a number, and what to do about it.</summary>
public sealed record Advice
{
    /// <summary>Stable short name for scripts, e.g. <c>client-limit</c>, <c>foreign-load</c>, <c>placement</c>.</summary>
    public required string Id { get; init; }

    /// <summary>One sentence: what was seen, with its numbers.</summary>
    public required string Doubt { get; init; }

    /// <summary>One sentence: what to do about it.</summary>
    public required string Fix { get; init; }

    /// <summary>Cells it is about, indexes into <see cref="RunRecord.Cells"/>; empty when it is about the whole run.</summary>
    public IReadOnlyList<int> Cells { get; init; } = [];
}
