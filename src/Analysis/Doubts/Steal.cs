using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>The hypervisor gave CPU time to other guests.</summary>
internal sealed class Steal() : CellDoubt("steal", "Measure on a machine of your own, or at another time, and with more rounds.")
{
    private const double Limit = 0.01;

    protected override Finding? Look(MeasuredRun run, MeasuredCell cell)
    {
        var rounds = cell.Rounds.Where(r => r.Record.Machine is { CapacityNs: > 0 }).ToList();
        if (rounds.Count == 0)
            return null;
        var worst = rounds.MaxBy(Share)!;
        return Share(worst) > Limit
            ? new Finding(Share(worst), Invariant($"in round {worst.Record.Number} the hypervisor took {Quantity.Percent(Share(worst))} of the machine's CPU time")) : null;
    }

    private static double Share(MeasurementView r) => (double)r.Record.Machine!.StealNs / r.Record.Machine.CapacityNs;
}
