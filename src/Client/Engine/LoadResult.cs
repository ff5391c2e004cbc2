using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Client.Engine;

/// <summary>The measurement of one window. <see cref="Measurement"/> explains each count.</summary>
internal sealed record LoadResult
{
    /// <summary>False when nothing was measured, since the load ended or the server was lost before the window began.</summary>
    public required bool HasBegun { get; init; }

    public required long WindowNs { get; init; }

    /// <summary>The planned length of the window. Null for a window of counted calls.</summary>
    public long? PlannedNs { get; init; }

    public required long Started { get; init; }
    public required long Ok { get; init; }
    public required IReadOnlyDictionary<string, long> Failed { get; init; }

    /// <summary>The first message of each kind of failure that has a message.</summary>
    public IReadOnlyDictionary<string, string> FailureMessages { get; init; } = new Dictionary<string, string>();

    public required long CutOff { get; init; }
    public required long Completed { get; init; }
    public required double Credited { get; init; }

    public required ReplySizes Replies { get; init; }

    /// <summary>Successful calls of the whole load, also before and after the window.</summary>
    public required long AllOk { get; init; }

    /// <summary>Median duration of successful calls before the window. Null without load before the window.</summary>
    public long? LeadMedianNs { get; init; }

    /// <summary>Payload that arrived in the window.</summary>
    public required long PayloadBytes { get; init; }

    public long? ReceivedBytes { get; init; }
    public required LatencyHistogram Latency { get; init; }
    public required LatencyHistogram CutOffLatency { get; init; }

    /// <summary>Calls of an open loop that were due in the window and never sent. They do not count as started.</summary>
    public long NotSent { get; init; }

    public required LatencyHistogram NotSentLatency { get; init; }

    /// <summary>Null in a closed loop.</summary>
    public LatencyHistogram? ServiceTime { get; init; }

    /// <summary>Null in a closed loop.</summary>
    public LatencyHistogram? SendLateness { get; init; }

    public required ConnectionStats Connections { get; init; }

    /// <summary>Successful calls of each connection that were sent in the window.</summary>
    public required IReadOnlyList<long> CallsByConnection { get; init; }

    public required IReadOnlyList<long> ThreadCalls { get; init; }
    public required IReadOnlyList<long> Buckets { get; init; }

    /// <summary>How long streams were blocked from writing in the window. Null when unknown.</summary>
    public BlockedTime? Blocked { get; init; }

    /// <summary>Why the server counts as gone, in one sentence. Null when the server was there during the whole window.</summary>
    public string? ServerLost { get; init; }
}

/// <summary>One period of load over open connections: its length and the schedule of its calls.</summary>
internal sealed record LoadWindow
{
    /// <summary>
    /// The least time of load before the window, so that the window begins with a busy server. Zero where
    /// <see cref="Calls"/> are counted.
    /// </summary>
    public TimeSpan Lead { get; init; }

    /// <summary>
    /// Length of the window. Load continues after the window until all calls that cross its end have ended. Null when
    /// only <see cref="Calls"/> end the window.
    /// </summary>
    public TimeSpan? Duration { get; init; }

    /// <summary>
    /// The window lasts at least this many times the median call of the lead, even beyond <see cref="Duration"/>. 0
    /// means that the window never lasts longer.
    /// </summary>
    public int Medians { get; init; }

    /// <summary>The most calls that are started, none of them after <see cref="Duration"/>. Null when time alone ends the window.</summary>
    public long? Calls { get; init; }

    /// <summary>Calls per second over all streams in an open loop. Null in a closed loop.</summary>
    public double? Rate { get; init; }

    /// <summary>True when an open loop has exponential instead of constant gaps between calls.</summary>
    public bool Poisson { get; init; }

    public long Seed { get; init; }

    /// <summary>
    /// True for a later slice of a measurement. Connections then do not repeat work that is done once per
    /// measurement, such as a thorough check of a reply. In a short window, that work would take a larger share of
    /// the time.
    /// </summary>
    public bool IsContinued { get; init; }

    /// <summary>The direction of the messages, the same as in the options of the connections.</summary>
    public Flow Flow { get; init; }
}

/// <summary>
/// Called at the edges of a window, on the thread that supervises the window, to read counters that belong to it. The
/// methods must neither throw nor wait. Load may be running meanwhile.
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
    /// When the window ended. <see cref="long.MaxValue"/> before the end, and always when only the number of calls ends the window.
    /// </summary>
    public long EndNs => Volatile.Read(ref end);

    /// <summary>The time from which no call starts any more. <see cref="long.MaxValue"/> while calls may start.</summary>
    public long StopNs => Volatile.Read(ref stop);

    public void BeginAt(long ns) => Volatile.Write(ref begin, ns);

    /// <summary>Ends the window at this time, unless it ends earlier.</summary>
    public void EndAt(long ns)
    {
        if (ns < EndNs)
            Volatile.Write(ref end, ns);
    }

    /// <summary>Ends the load at this time, unless it ends earlier.</summary>
    public void StopAt(long ns)
    {
        if (ns < StopNs)
            Volatile.Write(ref stop, ns);
    }
}

/// <summary>Payload bytes of replies: their sum and their range.</summary>
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
