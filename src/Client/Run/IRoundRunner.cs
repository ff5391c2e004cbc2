using IpcBench.Client.Plan;

namespace IpcBench.Client.Run;

/// <summary>Measures cells. Tests of the schedule use another implementation.</summary>
internal interface IRoundRunner
{
    Task WarmServersUpAsync(IEnumerable<PlannedCell> cells, double? rate, bool anew, CancellationToken cancellation);

    Task<IReadOnlyList<MeasuredRound>> MeasureInTurnsAsync(
        IReadOnlyList<PlannedCell> planned, int number, int attempt, CancellationToken cancellation);

    Task<MeasuredRound> MeasureAsync(PlannedCell cell, int number, int attempt, double? rate, CancellationToken cancellation);
}
