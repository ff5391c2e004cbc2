using IpcBench.Analysis.Results;
using IpcBench.Client.Load;

namespace IpcBench.Client.Plan;

/// <summary>One cell of the plan, ready to be measured.</summary>
/// <param name="Index">Its place in <see cref="RunRecord.Cells"/>.</param>
/// <param name="Record">What it is, for the file.</param>
/// <param name="Target">Where it runs.</param>
/// <param name="Load">The connections it opens and what they ask for.</param>
/// <param name="Share">Of the slowest arm's capacity, when its rate is to follow from the saturation rounds; else null.</param>
internal sealed record PlannedCell(int Index, Cell Record, Target Target, LoadOptions Load, double? Share = null);
