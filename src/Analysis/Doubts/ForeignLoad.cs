using IpcBench.Analysis.Measures;
using static IpcBench.Analysis.Reports.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>The machine was busy with something else than client, server and interrupts.</summary>
internal sealed class ForeignLoad() : CellDoubt("foreign-load", "Stop what else runs on this machine, or run more rounds.")
{
    private const double Limit = 0.05;

    protected override Finding? Look(MeasuredRun run, MeasuredCell cell)
    {
        var rounds = cell.Rounds.Where(r => r.UnattributedNs != null && r.Round.Machine!.CapacityNs > 0).ToList();
        if (rounds.Count == 0)
            return null;
        var worst = rounds.MaxBy(Share)!;
        return Share(worst) > Limit
            ? new Finding(Share(worst), Invariant($"in round {worst.Round.Number} other processes used {Quantity.Percent(Share(worst))} of the machine")) : null;
    }

    private static double Share(RoundReading r) => (r.UnattributedNs!.Value - r.Round.Machine!.SoftIrqNs) / r.Round.Machine.CapacityNs;
}
