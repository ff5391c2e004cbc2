using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>Much of the machine's busy time is charged to neither process: CPU per call of the two sides is not the whole price.</summary>
internal sealed class UnclaimedCpu() : CellDoubt("unattributed-cpu", "Compare the sum of client, server and unattributed CPU, not the sides alone.")
{
    private const double Limit = 0.2;

    protected override Finding? Look(MeasuredRun run, MeasuredCell cell)
    {
        if (cell.Median!.UnattributedNs is not { } unclaimed || cell.Median.Record.Machine!.BusyNs <= 0)
            return null;
        var share = unclaimed / cell.Median.Record.Machine.BusyNs;
        return share > Limit
            ? new Finding(share, Invariant($"neither client nor server claims {Quantity.Percent(share)} of the machine's busy time ({Quantity.Micros(unclaimed / cell.Median.ClientCalls)} a call)")) : null;
    }
}
