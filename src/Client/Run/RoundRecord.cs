using IpcBench.Analysis.Results;
using IpcBench.Client.Engine;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Run;

/// <summary>
/// Copies the engine's record of a measurement to the record in the results file. The results file has types of its own
/// because other programs read it (docs/results.schema.json).
/// </summary>
internal static class RoundRecord
{
    public static Measurement Make(PlannedCell cell, Turn turn, LoadResult result, WindowUsage usage) => new()
    {
        Cell = cell.Index,
        Number = turn.Number,
        Attempt = turn.Attempt,
        At = usage.At,
        WindowNs = result.WindowNs,
        Started = result.Started,
        Ok = result.Ok,
        Failed = result.Failed,
        FailureMessages = result.FailureMessages,
        CutOff = result.CutOff,
        Completed = result.Completed,
        Credited = result.Credited,
        PayloadBytes = result.PayloadBytes,
        SmallestReply = cell.Load.Call is null || result.Replies == ReplySizes.None ? null : result.Replies.Smallest,
        LargestReply = cell.Load.Call is null || result.Replies == ReplySizes.None ? null : result.Replies.Largest,
        ReceivedBytes = result.ReceivedBytes,
        Latency = result.Latency.Encode(),
        LatencySumNs = result.Latency.Sum,
        CutOffLatency = result.CutOff == 0 ? "" : result.CutOffLatency.Encode(),
        NotSent = result.NotSent,
        NotSentLatency = result.NotSent == 0 ? "" : result.NotSentLatency.Encode(),
        ServiceTime = result.ServiceTime?.Encode() ?? "",
        SendLateness = result.SendLateness?.Encode() ?? "",
        AskedRate = turn.Rate ?? 0,
        Blocked = Blocked(result.Blocked, (double)result.WindowNs * cell.Load.Connections * cell.Load.Streams),
        Client = usage.Client,
        Server = usage.Server,
        Machine = usage.Machine,
        Connections = usage.Endpoint?.Beside(result.Connections) ?? result.Connections,
        Watched = usage.Watched,
        ThreadCalls = [.. result.ThreadCalls.Where(calls => calls > 0)],
        Buckets = result.Buckets,
        MethodsCompiled = usage.MethodsCompiled,
        FixedLoopNs = turn.Machine.FixedLoopNs,
        MemoryStepNs = turn.Machine.MemoryStepNs,
    };

    private static BlockedShares? Blocked(BlockedTime? time, double ofNs) => time is not { } blocked || ofNs <= 0
        ? null
        : new(blocked.StreamWindowNs / ofNs, blocked.ConnectionWindowNs / ofNs, blocked.SocketNs / ofNs, blocked.Times,
            blocked.AllNs / Math.Max(1, blocked.Times), blocked.AheadBytes);
}
