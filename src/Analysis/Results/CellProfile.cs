namespace IpcBench.Analysis.Results;

/// <summary>The sampled windows of a cell.</summary>
public sealed record CellProfile
{
    /// <summary>Index into <see cref="RunRecord.Cells"/>.</summary>
    public required int Cell { get; init; }

    /// <summary>Why the cell has no samples, as the end of a sentence. Empty when it has samples.</summary>
    public string Refused { get; init; } = "";

    /// <summary>The windows in the order of measuring.</summary>
    public IReadOnlyList<ProfileWindow> Windows { get; init; } = [];

    /// <summary>The number of samples whose innermost .NET method has no name, only an assembly.</summary>
    public long Unnamed { get; init; }

    /// <summary>
    /// The most frequent stacks in alphabetical order, each in the form <c>shared: frame frame = samples</c>. <c>shared</c> is
    /// the number of outermost frames that the stack has in common with the previous stack; these frames are not repeated. Each
    /// <c>frame</c> is an index into <see cref="RunProfile.Frames"/>. The outermost frame, which is the thread, comes first.
    /// </summary>
    public IReadOnlyList<string> Stacks { get; init; } = [];
}
