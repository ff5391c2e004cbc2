using IpcBench.Analysis.Results;

namespace IpcBench.Client.Run;

/// <summary>A measurement and whether the server survived it.</summary>
/// <param name="Round">For the file.</param>
/// <param name="ServerLost">One sentence when it is gone; null when all is well.</param>
internal sealed record MeasuredRound(Measurement Round, string? ServerLost);
