using IpcBench.Analysis.Metrics;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>What is doubtful about the connections of a cell.</summary>
internal static class ConnectionDoubts
{
    /// <summary>Not all the connections asked for were there and used, or client and server count differently.</summary>
    public static Observation? Differ(MeasuredRun run, MeasuredCell cell) =>
        cell.Rounds.Select(r => Differ(r, cell.Key.Streams)).OfType<Observation>().MaxBy(seen => seen.Severity);

    /// <summary>The server allows fewer streams on a connection than were asked for.</summary>
    public static Observation? StreamsLimited(MeasuredRun run, MeasuredCell cell)
    {
        var asked = cell.Key.Streams;
        return cell.Rounds.Min(r => r.Record.Connections.StreamsAllowed) is { } allowed && allowed < asked
            ? new Observation(asked - allowed,
                Invariant($"the server allows {allowed} streams per connection: of -m {asked}, {asked - allowed} waited inside the client"))
            : null;
    }

    private static Observation? Differ(MeasurementView r, int streams)
    {
        var (stats, number) = (r.Record.Connections, r.Record.Number);
        if (stats.Opened != stats.Requested)
            return new Observation(4, Invariant($"in round {number} only {stats.Opened} of {stats.Requested} connections were open"));
        if (stats.ServerOpen is { } server && server != stats.Opened && stats.Reopened == 0)
        {
            return new Observation(3,
                Invariant($"in round {number} the client held {stats.Opened} connections and the server counted {server}"));
        }
        var own = stats.ClientCalls ?? r.ClientCalls;
        if (stats.ServerCalls is { } calls && Math.Abs(calls - own) > Math.Max(0.001 * own, 2.0 * stats.Opened * streams))
            return new Observation(2, Invariant($"in round {number} the client counted {own} calls and the server {calls}"));
        // With fewer calls than connections some must stay idle.
        return stats.Active < stats.Opened && r.Record.Completed > 10L * stats.Opened
            ? new Observation(1, Invariant($"in round {number} {stats.Opened - stats.Active} of {stats.Opened} connections carried "
                + $"no call"))
            : null;
    }
}
