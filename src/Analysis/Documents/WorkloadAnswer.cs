using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;

namespace IpcBench.Analysis.Documents;

/// <summary>The answer about one group of competing arms.</summary>
/// <param name="Arms">The arms of the group.</param>
/// <param name="Winner">
/// The comparison of the arm that is ahead of all others, preferably with its reference. Null when no arm is ahead of all others.
/// </param>
internal sealed record WorkloadAnswer(IReadOnlyList<MeasuredCell> Arms, string Sentence, ArmComparison? Winner = null);
