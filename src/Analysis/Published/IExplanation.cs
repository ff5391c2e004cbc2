using IpcBench.Analysis.Metrics;

namespace IpcBench.Analysis.Published;

/// <summary>Says by further arms of the same run where a published difference comes from.</summary>
public interface IExplanation
{
    /// <summary>Null when the run lacks what it takes.</summary>
    Explained? Of(MeasuredRun run, PublishedComparison published);
}
