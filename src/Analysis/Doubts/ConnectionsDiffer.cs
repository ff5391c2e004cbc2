using IpcBench.Analysis.Metrics;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>Not all the connections asked for were there and used, or client and server count differently.</summary>
internal sealed class ConnectionsDiffer() : CellDoubt("connections", "Look at the limits (GrpcBench doctor) and that nothing else uses this server; the arm may not be what it says.")
{
    protected override Finding? Look(MeasuredRun run, MeasuredCell cell) =>
        cell.Rounds.Select(r => Look(r, cell.Key.Streams)).OfType<Finding>().MaxBy(finding => finding.Severity);

    private static Finding? Look(MeasurementView r, int streams)
    {
        var (truth, number) = (r.Record.Connections, r.Record.Number);
        if (truth.Opened != truth.Requested)
            return new Finding(4, Invariant($"in round {number} only {truth.Opened} of {truth.Requested} connections were open"));
        if (truth.ServerOpen is { } server && server != truth.Opened && truth.Reopened == 0)
            return new Finding(3, Invariant($"in round {number} the client held {truth.Opened} connections and the server counted {server}"));
        if (truth.ServerCalls is { } calls && Math.Abs(calls - r.ClientCalls) > Math.Max(0.001 * r.ClientCalls, 2.0 * truth.Opened * streams))
            return new Finding(2, Invariant($"in round {number} the client counted {r.ClientCalls} calls and the server {calls}"));
        // With fewer calls than connections some must stay idle.
        return truth.Active < truth.Opened && r.Record.Completed > 10L * truth.Opened
            ? new Finding(1, Invariant($"in round {number} {truth.Opened - truth.Active} of {truth.Opened} connections carried no call")) : null;
    }
}
