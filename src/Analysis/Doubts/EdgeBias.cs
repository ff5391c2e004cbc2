using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>So few calls fit into the window that those cut by its edges count: at most connections / calls.</summary>
internal sealed class EdgeBias() : CellDoubt("edge-bias", "Measure longer (-d) or with fewer connections (-c).")
{
    private const double Limit = 0.01;

    protected override Finding? Look(MeasuredRun run, MeasuredCell cell)
    {
        var calls = RatioEstimate.Median(cell.Rounds.Select(r => (double)r.Record.Completed));
        var inFlight = (double)cell.Key.Connections * cell.Key.Streams;
        return cell.Key.Load == "max" && calls > 0 && inFlight / calls > Limit
            ? new Finding(inFlight / calls, Invariant($"a window held only {Quantity.Count(calls)} calls of {inFlight:0} at a time, so its edges may bias the rate by up to {Quantity.Percent(inFlight / calls)}"))
            : null;
    }
}
