using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Client.Engine;

/// <summary>What one window measured; see <see cref="Measurement"/> for the meaning of each count.</summary>
internal sealed record LoadResult
{
    public required long WindowNs { get; init; }
    public required long Started { get; init; }
    public required long Ok { get; init; }
    public required IReadOnlyDictionary<string, long> Failed { get; init; }
    public required long CutOff { get; init; }
    public required long Completed { get; init; }
    public required long PayloadBytes { get; init; }
    public long? ReceivedBytes { get; init; }
    public required LatencyHistogram Latency { get; init; }
    public required LatencyHistogram CutOffLatency { get; init; }

    /// <summary>Open loop: calls that were due in the window and never sent; not among the started.</summary>
    public long NotSent { get; init; }

    public required LatencyHistogram NotSentLatency { get; init; }

    /// <summary>Null in a closed loop.</summary>
    public LatencyHistogram? ServiceTime { get; init; }

    /// <summary>Null in a closed loop.</summary>
    public LatencyHistogram? SendLateness { get; init; }

    public required ConnectionStats Connections { get; init; }
    public required IReadOnlyList<long> ThreadCalls { get; init; }
    public required IReadOnlyList<long> Buckets { get; init; }

    /// <summary>The server is gone: too many connections died and could not be opened again. One sentence; null when all is well.</summary>
    public string? ServerLost { get; init; }
}
