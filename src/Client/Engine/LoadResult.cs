using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Client.Engine;

/// <summary>What one window measured; see <see cref="Measurement"/> for the meaning of each count.</summary>
internal sealed record LoadResult
{
    /// <summary>False: the load was ended, or the server lost, before the window had begun; nothing was measured.</summary>
    public required bool HasBegun { get; init; }

    public required long WindowNs { get; init; }

    /// <summary>How long the window was to be; null where its calls were counted.</summary>
    public long? PlannedNs { get; init; }

    public required long Started { get; init; }
    public required long Ok { get; init; }
    public required IReadOnlyDictionary<string, long> Failed { get; init; }

    /// <summary>The first message of each kind of failure that has one.</summary>
    public IReadOnlyDictionary<string, string> FailureMessages { get; init; } = new Dictionary<string, string>();

    public required long CutOff { get; init; }
    public required long Completed { get; init; }
    public required double Credited { get; init; }

    /// <summary>Payload of the replies to the completed calls.</summary>
    public required ReplySizes Replies { get; init; }

    /// <summary>Calls that ended well in all of the load, before and after the window too.</summary>
    public required long AllOk { get; init; }

    /// <summary>Median time of the calls that ended well before the window began; null when there was no such load.</summary>
    public long? LeadMedianNs { get; init; }

    /// <summary>Payload that arrived inside the window.</summary>
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

    /// <summary>Calls of each connection that were sent in the window and ended well.</summary>
    public required IReadOnlyList<long> CallsByConnection { get; init; }

    public required IReadOnlyList<long> ThreadCalls { get; init; }
    public required IReadOnlyList<long> Buckets { get; init; }

    /// <summary>How long streams were kept from writing inside the window; null where nobody knows.</summary>
    public BlockedTime? Blocked { get; init; }

    /// <summary>The server is gone: too many connections died and could not be opened again. One sentence; null when all is well.</summary>
    public string? ServerLost { get; init; }
}

/// <summary>One stretch of load over open connections: when it stops and when its calls start.</summary>
internal sealed record LoadWindow
{
    /// <summary>
    /// Load for at least this long before the window begins, which then finds the server at work; none where <see cref="Calls"/> are
    /// counted.
    /// </summary>
    public TimeSpan Lead { get; init; }

    /// <summary>
    /// Length of the window. Load goes on after it until the calls that it cut have ended. Null: <see cref="Calls"/> alone end it.
    /// </summary>
    public TimeSpan? Duration { get; init; }

    /// <summary>
    /// The window is at least this many times as long as the median call of the lead, whatever <see cref="Duration"/> says; 0: never
    /// longer.
    /// </summary>
    public int Medians { get; init; }

    /// <summary>No more calls than this are started, and none after <see cref="Duration"/>; null: a time alone ends the window.</summary>
    public long? Calls { get; init; }

    /// <summary>Open loop: calls per second over all streams; null: closed loop.</summary>
    public double? Rate { get; init; }

    /// <summary>Open loop: exponential instead of constant gaps between calls.</summary>
    public bool Poisson { get; init; }

    public long Seed { get; init; }

    /// <summary>
    /// This is a later slice of a measurement: what connections do once in each measurement, such as looking at a reply more closely, is
    /// not done again, since it would cost a short window a larger share of its time.
    /// </summary>
    public bool IsContinued { get; init; }

    /// <summary>Which way messages go; the connections decide.</summary>
    public Flow Flow { get; init; }
}

/// <summary>
/// Is told of the edges of a window at the very moment, on the thread that watches it: counters that belong to the window are read here.
/// None may throw or wait for anybody, and load may be running.
/// </summary>
internal interface IWindowEdges
{
    /// <summary>The window begins soon: what takes long is read here.</summary>
    void BeforeBegin()
    {
    }

    /// <summary>The window begins when this returns: CPU times are read here.</summary>
    void OnBegin();

    /// <summary>The window has just ended: CPU times are read here.</summary>
    void OnEnd();

    /// <summary>The window ended a moment ago: what takes long is read here.</summary>
    void AfterEnd()
    {
    }
}

/// <summary>
/// The edges of a window and the end of the load around it: load begins before the window and goes on beyond it, so that neither edge
/// finds the server empty. Edges are set by the thread that watches, as they come, and read by all.
/// </summary>
/// <param name="startNs">When the load starts.</param>
internal sealed class WindowClock(long startNs)
{
    private long begin = long.MaxValue, end = long.MaxValue, stop = long.MaxValue;

    /// <summary>When the load starts: schedules count from here.</summary>
    public long StartNs { get; } = startNs;

    /// <summary><see cref="long.MaxValue"/> before the window has begun.</summary>
    public long BeginNs => Volatile.Read(ref begin);

    /// <summary><see cref="long.MaxValue"/> before it has ended, and for ever when nothing but the number of calls ends it.</summary>
    public long EndNs => Volatile.Read(ref end);

    /// <summary>No call starts from then on; <see cref="long.MaxValue"/> while calls may.</summary>
    public long StopNs => Volatile.Read(ref stop);

    public void BeginAt(long ns) => Volatile.Write(ref begin, ns);

    /// <summary>Ends the window at that time, unless it ends earlier anyway.</summary>
    public void EndAt(long ns)
    {
        if (ns < EndNs)
            Volatile.Write(ref end, ns);
    }

    /// <summary>Ends the load at that time, unless it ends earlier anyway.</summary>
    public void StopAt(long ns)
    {
        if (ns < StopNs)
            Volatile.Write(ref stop, ns);
    }
}

/// <summary>Payload bytes of replies: all together, and what they lie between.</summary>
/// <param name="Bytes">Of all replies.</param>
/// <param name="Smallest">Bytes of the smallest; of no meaning without replies.</param>
/// <param name="Largest">Bytes of the largest; of no meaning without replies.</param>
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
