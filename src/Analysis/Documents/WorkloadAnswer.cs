using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;

namespace IpcBench.Analysis.Documents;

/// <summary>The answer about one group of competing arms.</summary>
/// <param name="Winner">
/// The comparison that shows the lead of the best arm, preferably its lead over its reference. Null when the best arm is ahead of
/// no arm, or when another arm may be as good as the best arm.
/// </param>
internal sealed record WorkloadAnswer(IReadOnlyList<MeasuredCell> Arms, string Sentence, ArmComparison? Winner = null);
