using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Client.Engine;

/// <summary>The measurement of one window. <see cref="Measurement"/> explains each count.</summary>
internal sealed record LoadResult
{
    /// <summary>False when nothing was measured: before the window began, the load ended or the server was lost.</summary>
    public required bool HasBegun { get; init; }

    public required long WindowNs { get; init; }

    /// <summary>The planned length of the window. Null for a window of counted calls.</summary>
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

    /// <summary>Median duration of successful calls before the window. Null without load before the window.</summary>
    public long? LeadMedianNs { get; init; }

    /// <summary>Payload bytes that arrived in the window.</summary>
    public required long PayloadBytes { get; init; }

    public long? ReceivedBytes { get; init; }
    public required LatencyHistogram Latency { get; init; }
    public required LatencyHistogram CutOffLatency { get; init; }

    /// <summary>Calls of an open loop that were due in the window but not sent in it. They do not count as started.</summary>
    public long NotSent { get; init; }

    public required LatencyHistogram NotSentLatency { get; init; }

    /// <summary>Times from send to reply. Null in a closed loop.</summary>
    public LatencyHistogram? ServiceTime { get; init; }

    /// <summary>Times from due to send. Null in a closed loop.</summary>
    public LatencyHistogram? SendLateness { get; init; }

    public required ConnectionStats Connections { get; init; }

    /// <summary>For each connection, the number of its calls that were sent in the window and succeeded.</summary>
    public required IReadOnlyList<long> CallsByConnection { get; init; }

    public required IReadOnlyList<long> ThreadCalls { get; init; }
    public required IReadOnlyList<long> Buckets { get; init; }

    /// <summary>How long streams could not write in the window although they had bytes to write. Null when unknown.</summary>
    public BlockedTime? Blocked { get; init; }

    /// <summary>Why the server (or this tool) became unusable, in one sentence. Null when all was well.</summary>
    public string? ServerLost { get; init; }
}

/// <summary>One period of load over open connections: its length and the schedule of its calls.</summary>
internal sealed record LoadWindow
{
    /// <summary>
    /// The shortest time of load before the window. It makes the server busy before the window begins. Zero where
    /// <see cref="Calls"/> are counted.
    /// </summary>
    public TimeSpan Lead { get; init; }

    /// <summary>
    /// Length of the window. Load continues after the window until all calls that cross its end have ended. Null when
    /// only the number of <see cref="Calls"/> ends the window.
    /// </summary>
    public TimeSpan? Duration { get; init; }

    /// <summary>
    /// Makes the window longer than <see cref="Duration"/> where calls are slow: at least this many times the median duration of the
    /// calls before it. 0 means that the window is never longer.
    /// </summary>
    public int Medians { get; init; }

    /// <summary>The most calls that are started. <see cref="Duration"/> may end the window earlier. Null when time alone ends it.</summary>
    public long? Calls { get; init; }

    /// <summary>Calls per second over all streams in an open loop. Null in a closed loop.</summary>
    public double? Rate { get; init; }

    /// <summary>True when the gaps between the calls of an open loop are exponential. False when they are constant.</summary>
    public bool Poisson { get; init; }

    public long Seed { get; init; }

    /// <summary>
    /// True for every slice of a measurement except the first. Connections then skip work that is done once per measurement, such as
    /// a thorough check of a reply, since this work would take a larger share of a short window.
    /// </summary>
    public bool IsContinued { get; init; }

    /// <summary>The direction of the messages, the same as in the options of the connections.</summary>
    public Flow Flow { get; init; }
}

/// <summary>
/// Reads counters at the edges of a window. The methods are called on the thread that supervises the window, while load may be
/// running. They must neither throw nor wait.
/// </summary>
internal interface IWindowEdges
{
    /// <summary>Called shortly before the window begins. Slow readings belong here.</summary>
    void BeforeBegin()
    {
    }

    /// <summary>Called directly before the window begins. CPU times are read here.</summary>
    void OnBegin();

    /// <summary>Called directly after the window has ended. CPU times are read here.</summary>
    void OnEnd();

    /// <summary>Called shortly after the end of the window. Slow readings belong here and not in <see cref="OnEnd"/>.</summary>
    void AfterEnd()
    {
    }
}

/// <summary>
/// The edges of a window and the end of the load. Load begins before the window and continues after it, so that the
/// server is busy at both edges. The supervising thread sets the edges. All threads read them.
/// </summary>
internal sealed class WindowClock(long startNs)
{
    private long begin = long.MaxValue, end = long.MaxValue, stop = long.MaxValue;

    /// <summary>When the load starts. Schedules count from this time.</summary>
    public long StartNs { get; } = startNs;

    /// <summary>When the window began. <see cref="long.MaxValue"/> before the window has begun.</summary>
    public long BeginNs => Volatile.Read(ref begin);

    /// <summary>
    /// When the window ended. <see cref="long.MaxValue"/> before the end, and also after it if the window ended with its last call.
    /// </summary>
    public long EndNs => Volatile.Read(ref end);

    /// <summary>The time from which no call starts any more. <see cref="long.MaxValue"/> while calls may start.</summary>
    public long StopNs => Volatile.Read(ref stop);

    public void BeginAt(long ns) => Volatile.Write(ref begin, ns);

    /// <summary>Ends the window at this time, unless an earlier end is set.</summary>
    public void EndAt(long ns)
    {
        if (ns < EndNs)
            Volatile.Write(ref end, ns);
    }

    /// <summary>Ends the load at this time, unless an earlier end is set.</summary>
    public void StopAt(long ns)
    {
        if (ns < StopNs)
            Volatile.Write(ref stop, ns);
    }
}

/// <summary>Payload bytes of replies: their sum, and the smallest and largest reply.</summary>
/// <param name="Bytes">The sum over all replies.</param>
/// <param name="Smallest">Bytes of the smallest reply. Meaningless without replies.</param>
/// <param name="Largest">Bytes of the largest reply. Meaningless without replies.</param>
internal record struct ReplySizes(long Bytes, long Smallest, long Largest)
{
    public static ReplySizes None => new(0, long.MaxValue, 0);

    public void Add(long bytes)
    {
        Bytes += bytes;
        Smallest = Math.Min(Smallest, bytes);
        Largest = Math.Max(Largest, bytes);
    }

    public static ReplySizes operator +(ReplySizes one, ReplySizes other) =>
        new(one.Bytes + other.Bytes, Math.Min(one.Smallest, other.Smallest), Math.Max(one.Largest, other.Largest));
}
