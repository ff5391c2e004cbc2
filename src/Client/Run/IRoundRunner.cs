using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Run;

/// <summary>Measures one cell once; tests of the schedule put a made-up one in its place.</summary>
internal interface IRoundRunner
{
    /// <summary>See <see cref="RoundRunner"/>.</summary>
    Task WarmServersUpAsync(IEnumerable<PlannedCell> cells, double? rate, CancellationToken cancellation);

    /// <summary>See <see cref="RoundRunner"/>.</summary>
    Task<MeasuredRound> MeasureAsync(PlannedCell cell, int number, int attempt, double? rate, CancellationToken cancellation);
}

/// <summary>A measurement and whether the server survived it.</summary>
/// <param name="Round">For the file.</param>
/// <param name="ServerLost">One sentence when it is gone; null when all is well.</param>
internal sealed record MeasuredRound(Measurement Round, string? ServerLost);
