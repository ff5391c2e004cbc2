using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>The machine was busy with something else than client, server and interrupts.</summary>
internal sealed class ForeignLoad() : CellDoubt("foreign-load", "Stop what else runs on this machine, or run more rounds.")
{
    private const double Limit = 0.05;

    protected override Finding? Look(MeasuredRun run, MeasuredCell cell)
    {
        var rounds = cell.Rounds.Where(r => r.UnattributedNs != null && r.Record.Machine!.CapacityNs > 0).ToList();
        if (rounds.Count == 0)
            return null;
        var worst = rounds.MaxBy(Share)!;
        return Share(worst) > Limit
            ? new Finding(Share(worst), Invariant($"in round {worst.Record.Number} other processes used {Quantity.Percent(Share(worst))} of the machine")) : null;
    }

    private static double Share(MeasurementView r) => (r.UnattributedNs!.Value - r.Record.Machine!.SoftIrqNs) / r.Record.Machine.CapacityNs;
}
