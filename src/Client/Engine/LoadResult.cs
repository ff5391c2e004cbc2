using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Client.Engine;

/// <summary>The measurement of one window. <see cref="Measurement"/> explains each count.</summary>
internal sealed record LoadResult
{
    /// <summary>False when nothing was measured, because the load ended or the server was lost before the window began.</summary>
    public required bool HasBegun { get; init; }

    public required long WindowNs { get; init; }

    /// <summary>The planned length of the window. Null for a window of counted calls, and for a sum of windows.</summary>
    public long? PlannedNs { get; init; }

    public required long Started { get; init; }
    public required long Ok { get; init; }
    public required IReadOnlyDictionary<string, long> Failed { get; init; }

    /// <summary>The server's first message about each kind of failure. Kinds without a message are not included.</summary>
    public IReadOnlyDictionary<string, string> FailureMessages { get; init; } = new Dictionary<string, string>();

    public required long CutOff { get; init; }
    public required long Completed { get; init; }
    public required double Credited { get; init; }

    public required ReplySizes Replies { get; init; }

    /// <summary>Successful calls of the whole load, also before and after the window.</summary>
    public required long AllOk { get; init; }

    /// <summary>See <see cref="WindowRun.LeadMedianNs"/>.</summary>
    public long? LeadMedianNs { get; init; }

    /// <summary>Payload bytes that arrived in the window.</summary>
    public required long PayloadBytes { get; init; }

    public long? ReceivedBytes { get; init; }
    public required LatencyHistogram Latency { get; init; }
    public required LatencyHistogram CutOffLatency { get; init; }

    /// <summary>Calls of an open loop that were due in the window but not sent in it. They do not count as started.</summary>
    public long NotSent { get; init; }

    public required LatencyHistogram NotSentLatency { get; init; }

    /// <summary>Times from send to reply. Null in a closed loop, and for one-way messages.</summary>
    public LatencyHistogram? ServiceTime { get; init; }

    /// <summary>Times from the due time to the send. Null in a closed loop, and for messages from the server.</summary>
    public LatencyHistogram? SendLateness { get; init; }

    public required ConnectionStats Connections { get; init; }

    /// <summary>For each connection, the number of its calls that were sent in the window and succeeded.</summary>
    public required IReadOnlyList<long> CallsByConnection { get; init; }

    /// <summary>For each client thread, the number of its calls that were sent in the window and succeeded.</summary>
    public required IReadOnlyList<long> ThreadCalls { get; init; }
    public required IReadOnlyList<long> Buckets { get; init; }

    /// <summary>How long streams could not write in the window although they had bytes to write. Null when unknown.</summary>
    public BlockedTime? Blocked { get; init; }

    /// <summary>Why the server (or this tool) became unusable, in one sentence. Null when all was well.</summary>
    public string? ServerLost { get; init; }
}
