using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>Garbage collections stopped the client for a part of the window that shows.</summary>
internal sealed class ClientCollections() : CellDoubt("client-gc", "The longest latencies may be the client's own pauses: read p50 and p90 instead.")
{
    private const double Limit = 0.005;

    protected override Finding? Look(MeasuredRun run, MeasuredCell cell)
    {
        var worst = cell.Rounds.MaxBy(Share)!;
        return Share(worst) > Limit
            ? new Finding(Share(worst), Invariant($"in round {worst.Record.Number} the client stood still for {Quantity.Duration(worst.Record.Client.GcPauseNs)} in {worst.Record.Client.GcCollections.FirstOrDefault()} garbage collection(s)")) : null;
    }

    private static double Share(MeasurementView r) => (double)r.Record.Client.GcPauseNs / r.Record.WindowNs;
}
