using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Doubts;

/// <summary>One reason to doubt a run's numbers, looked for in its rounds.</summary>
public interface IDoubt
{
    /// <summary>The doubt with its numbers and what to do about it; null when there is no such reason.</summary>
    Advice? Of(MeasuredRun run);
}
