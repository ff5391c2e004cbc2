using IpcBench.Analysis.Metrics;

namespace IpcBench.Analysis.Published;

/// <summary>All write-ups that this tool repeats, the oldest first. A new write-up needs one line here.</summary>
public static class WriteUps
{
    public static IReadOnlyList<PublishedComparison> All { get; } =
    [
        EchoWriteUp.Comparison, FlaskWriteUp.Comparison, FlaskWriteUp.Containers, IpcBenchWriteUp.Comparison, NngWriteUp.Comparison,
        StarletteWriteUp.Comparison, ShmipcWriteUp.Comparison, ArticleWriteUp.Comparison, MsbuildWriteUp.Comparison,
    ];

    /// <summary>Finds the write-ups that a run repeats: the run has both cells of one of their ratios.</summary>
    public static IReadOnlyList<PublishedComparison> Find(MeasuredRun run) => [.. All.Where(published =>
        published.Scenario == run.Record.Scenario && (run.HasNamedPipes || !published.IsOfWindows)
        && published.Ratios.Any(ratio => ratio.Cell.In(run) is not null && ratio.Reference.In(run) is not null))];
}
