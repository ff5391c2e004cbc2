namespace IpcBench.Analysis.Results;

/// <summary>A reason to doubt a number, and what to do about this doubt.</summary>
public sealed record Advice
{
    /// <summary>Stable short name for scripts, e.g. <c>client-limit</c>, <c>foreign-load</c>, <c>placement</c>.</summary>
    public required string Id { get; init; }

    /// <summary>The observation that makes a result doubtful, with its numbers, in one sentence.</summary>
    public required string Doubt { get; init; }

    /// <summary>What to do about the doubt, in one sentence.</summary>
    public required string Fix { get; init; }

    /// <summary>
    /// The cells whose results are doubtful, as indexes into <see cref="RunRecord.Cells"/>. Empty when the advice is about the whole run.
    /// </summary>
    public IReadOnlyList<int> Cells { get; init; } = [];
}
