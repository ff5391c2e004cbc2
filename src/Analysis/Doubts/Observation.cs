namespace IpcBench.Analysis.Doubts;

/// <summary>What was observed in a doubtful cell. Of several doubtful cells, only the most severe observation is shown.</summary>
/// <param name="Severity">How severe the observation is, compared with the observations in other cells.</param>
/// <param name="Text">The observation, without the name of the cell and without a full stop.</param>
/// <param name="Fix">Advice that replaces the usual advice of the doubt. Null for the usual advice.</param>
internal sealed record Observation(double Severity, string Text, string? Fix = null);
