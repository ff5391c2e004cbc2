using IpcBench.Analysis.Metrics;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>The server allows fewer streams on a connection than were asked for.</summary>
internal sealed class StreamsLimited() : CellDoubt(
    "streams-limit", "Ask for no more streams than the server allows (-m), open more connections (-c), or raise its limit (GrpcBenchServer --max-streams).")
{
    protected override Finding? Look(MeasuredRun run, MeasuredCell cell)
    {
        var asked = cell.Key.Streams;
        return cell.Rounds.Min(r => r.Record.Connections.StreamsAllowed) is { } allowed && allowed < asked
            ? new Finding(asked - allowed, Invariant($"the server allows {allowed} streams per connection: of -m {asked}, {asked - allowed} waited inside the client")) : null;
    }
}
