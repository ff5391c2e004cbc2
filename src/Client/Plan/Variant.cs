namespace IpcBench.Client.Plan;

/// <summary>One setting of the knobs as an arm of its own; the plain run has a single one without a name.</summary>
/// <param name="Name">Empty, or <c>socket-buffer=256k</c>.</param>
/// <param name="Knobs">All knobs in force for this arm.</param>
internal sealed record Variant(string Name, Knobs Knobs);
