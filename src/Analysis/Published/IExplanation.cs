using IpcBench.Analysis.Metrics;

namespace IpcBench.Analysis.Published;

/// <summary>Explains a published difference with additional arms of the same run.</summary>
public interface IExplanation
{
    /// <summary>Computes the explanation. Null when the run lacks the necessary arms.</summary>
    Explained? Explain(MeasuredRun run, PublishedComparison published);
}
