using IpcBench.Analysis.Measures;
using static IpcBench.Analysis.Reports.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>The hypervisor gave CPU time to other guests.</summary>
internal sealed class Steal() : CellDoubt("steal", "Measure on a machine of your own, or at another time, and with more rounds.")
{
    private const double Limit = 0.01;

    protected override Finding? Look(MeasuredRun run, MeasuredCell cell)
    {
        var rounds = cell.Rounds.Where(r => r.Round.Machine is { CapacityNs: > 0 }).ToList();
        if (rounds.Count == 0)
            return null;
        var worst = rounds.MaxBy(Share)!;
        return Share(worst) > Limit
            ? new Finding(Share(worst), Invariant($"in round {worst.Round.Number} the hypervisor took {Quantity.Percent(Share(worst))} of the machine's CPU time")) : null;
    }

    private static double Share(RoundReading r) => (double)r.Round.Machine!.StealNs / r.Round.Machine.CapacityNs;
}
