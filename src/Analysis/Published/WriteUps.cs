namespace IpcBench.Analysis.Published;

/// <summary>All write-ups that this tool repeats, the oldest first. A new write-up needs one line here.</summary>
public static class WriteUps
{
    public static IReadOnlyList<PublishedComparison> All { get; } =
        [EchoWriteUp.Comparison, FlaskWriteUp.Comparison, FlaskWriteUp.Containers, StarletteWriteUp.Comparison, ArticleWriteUp.Comparison];

    /// <summary>Finds the write-up that a run repeats. Null for other runs.</summary>
    public static PublishedComparison? Find(string scenario) => All.FirstOrDefault(published => published.Scenario == scenario);
}
