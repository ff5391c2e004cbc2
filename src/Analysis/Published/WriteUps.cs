namespace IpcBench.Analysis.Published;

/// <summary>Every write-up that this tool repeats, oldest first: a new one is one line here.</summary>
public static class WriteUps
{
    public static IReadOnlyList<PublishedComparison> All { get; } =
        [EchoWriteUp.Comparison, FlaskWriteUp.Comparison, FlaskWriteUp.Containers, StarletteWriteUp.Comparison, ArticleWriteUp.Comparison];

    /// <summary>The one that a run repeats; null for a run of its own.</summary>
    public static PublishedComparison? Find(string scenario) => All.FirstOrDefault(published => published.Scenario == scenario);
}
