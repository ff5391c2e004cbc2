namespace IpcBench.Analysis.Documents;

/// <summary>Blocks under a title. The title may be empty. A section without blocks is not shown.</summary>
internal sealed record Section(string Title, IReadOnlyList<Block> Blocks)
{
    public static Section Empty { get; } = new("", []);

    public bool IsEmpty => Blocks.Count == 0;

    /// <summary>Makes a section of the blocks that are not empty.</summary>
    public static Section With(string title, params IReadOnlyList<Block> blocks) => new(title, [.. blocks.Where(block => !block.IsEmpty)]);
}
