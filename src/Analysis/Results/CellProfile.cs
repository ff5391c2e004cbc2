namespace IpcBench.Analysis.Results;

/// <summary>The sampled windows of a cell.</summary>
public sealed record CellProfile
{
    /// <summary>Index into <see cref="RunRecord.Cells"/>.</summary>
    public required int Cell { get; init; }

    /// <summary>Why the cell has no samples, as the end of a sentence. Empty when it has samples.</summary>
    public string Refused { get; init; } = "";

    /// <summary>The windows in their order.</summary>
    public IReadOnlyList<ProfileWindow> Windows { get; init; } = [];

    /// <summary>Samples whose innermost method of .NET has no name, only an assembly.</summary>
    public long Unnamed { get; init; }

    /// <summary>
    /// The most frequent stacks in alphabetical order, each as <c>shared: frame frame = samples</c>. The stack begins with as many
    /// frames of the stack before it as <c>shared</c> says. The numbers of frames are indexes into <see cref="RunProfile.Frames"/>.
    /// The outermost frame, which is the thread, comes first.
    /// </summary>
    public IReadOnlyList<string> Stacks { get; init; } = [];
}
