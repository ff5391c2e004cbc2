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

/// <summary>One stretch of load over open connections: when it stops and when its calls start.</summary>
internal sealed record LoadWindow
{
    /// <summary>No call is started after this long; null: stop by <see cref="Calls"/> alone.</summary>
    public TimeSpan? Duration { get; init; }

    /// <summary>No more calls than this are started; null: stop by <see cref="Duration"/> alone.</summary>
    public long? Calls { get; init; }

    /// <summary>Open loop: calls per second over all streams; null: closed loop.</summary>
    public double? Rate { get; init; }

    /// <summary>Open loop: exponential instead of constant gaps between calls.</summary>
    public bool Poisson { get; init; }

    public long Seed { get; init; }
}

/// <summary>The two edges of a window; its end may be moved to now, once.</summary>
internal sealed class WindowClock(long startNs, long endNs)
{
    private long end = endNs;

    public long StartNs { get; } = startNs;

    /// <summary><see cref="long.MaxValue"/> while nothing but the number of calls will end the window.</summary>
    public long EndNs => Volatile.Read(ref end);

    /// <summary>Ends the window at that time, unless it ends earlier anyway.</summary>
    public void EndAt(long ns)
    {
        if (ns < EndNs)
            Volatile.Write(ref end, ns);
    }
}
