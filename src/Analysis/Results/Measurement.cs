namespace IpcBench.Analysis.Results;

/// <summary>
/// The raw measurement of a cell in a round. Times are in ns, sizes in bytes. <c>started = ok + failed + cut off</c> always holds.
/// </summary>
public sealed record Measurement
{
    /// <summary>Length of a bucket of <see cref="Buckets"/>, in ns.</summary>
    public const long BucketNs = 100_000_000;

    /// <summary>Index into <see cref="RunRecord.Cells"/>.</summary>
    public required int Cell { get; init; }

    /// <summary>Number of the round, from 1. The measurements of two cells in the same round form a pair.</summary>
    public required int Number { get; init; }

    /// <summary>
    /// 0 for the first attempt. A spoiled round may be repeated, and each repetition has the next number. Reports count
    /// the last attempt that measured all cells of a comparison.
    /// </summary>
    public int Attempt { get; init; }

    public required DateTimeOffset At { get; init; }

    /// <summary>The measured length of the window. Throughput is the number of calls divided by this length.</summary>
    public required long WindowNs { get; init; }

    /// <summary>Calls that started inside the window.</summary>
    public required long Started { get; init; }

    /// <summary>Calls that started inside the window and succeeded, in the window or in the drain after it.</summary>
    public required long Ok { get; init; }

    /// <summary>
    /// Started calls that failed, by kind: <c>connect</c>, <c>reset</c>, <c>status 13</c>, <c>wrong length</c>, <c>protocol</c>, …
    /// </summary>
    public IReadOnlyDictionary<string, long> Failed { get; init; } = new Dictionary<string, long>();

    /// <summary>
    /// For each kind of <see cref="Failed"/>, the first message: the server's message, or how the first reply differs
    /// from the expected reply.
    /// </summary>
    public IReadOnlyDictionary<string, string> FailureMessages { get; init; } = new Dictionary<string, string>();

    /// <summary>Started calls that were still in flight at their time-out or at the end of the drain.</summary>
    public long CutOff { get; init; }

    /// <summary>Calls that succeeded inside the window, including calls that were sent before the window.</summary>
    public required long Completed { get; init; }

    /// <summary>
    /// The number of calls from which throughput is computed. Each call that succeeded counts as the share of its time,
    /// from send to end, that lies in the window. Null in older files: their windows began without load, and their
    /// throughput is computed from <see cref="Completed"/>.
    /// </summary>
    public double? Credited { get; init; }

    /// <summary>
    /// Payload bytes that arrived inside the window. In files without <see cref="Credited"/>, payload bytes of the
    /// <see cref="Completed"/> calls.
    /// </summary>
    public required long PayloadBytes { get; init; }

    /// <summary>Bytes of the smallest reply of a method other than <c>Bench.Download</c>. Null without such a reply.</summary>
    public long? SmallestReply { get; init; }

    /// <summary>Bytes of the largest reply of a method other than <c>Bench.Download</c>. Null without such a reply.</summary>
    public long? LargestReply { get; init; }

    /// <summary>
    /// All bytes received on the connections inside the window, including headers and failed calls. Files without <see
    /// cref="Credited"/> also count the bytes received in the drain after the window. Null when the bytes were not
    /// counted.
    /// </summary>
    public long? ReceivedBytes { get; init; }

    /// <summary>
    /// Latencies in ns of the <see cref="Ok"/> calls, from the intended start (in a closed loop from the send), as a
    /// compressed HdrHistogram V2 in base64.
    /// </summary>
    public required string Latency { get; init; }

    /// <summary>Exact sum in ns of the latencies in <see cref="Latency"/>, from which the mean is computed.</summary>
    public required long LatencySumNs { get; init; }

    /// <summary>
    /// Lower bounds in ns of the latencies of calls that were cut off, coded like <see cref="Latency"/>. Empty without such calls.
    /// </summary>
    public string CutOffLatency { get; init; } = "";

    /// <summary>
    /// In an open loop, calls that were due inside the window but not sent, because every stream was busy until the end
    /// of the window. <see cref="Started"/> does not include these calls.
    /// </summary>
    public long NotSent { get; init; }

    /// <summary>
    /// Lower bounds in ns of the latencies of calls that were due but not sent, from the intended start to the end of
    /// the window, coded like <see cref="Latency"/>. Empty without such calls.
    /// </summary>
    public string NotSentLatency { get; init; } = "";

    /// <summary>
    /// In an open loop, times in ns from the send to the reply, coded like <see cref="Latency"/>. Empty in a closed
    /// loop, where these times would equal <see cref="Latency"/>.
    /// </summary>
    public string ServiceTime { get; init; } = "";

    /// <summary>
    /// In an open loop, times in ns from the intended start to the send, coded like <see cref="Latency"/>. Empty in a
    /// closed loop.
    /// </summary>
    public string SendLateness { get; init; } = "";

    /// <summary>In an open loop, the requested calls per second. 0 in a closed loop.</summary>
    public double AskedRate { get; init; }

    /// <summary>How long the client's streams could not write during the window, by cause. Null when unknown.</summary>
    public BlockedShares? Blocked { get; init; }

    /// <summary>
    /// CPU time, memory and other resources that the client process used inside the window. In files without
    /// <see cref="Credited"/>, the drain after the window is included.
    /// </summary>
    public required ProcessUsage Client { get; init; }

    /// <summary>
    /// CPU time, memory and other resources that the server used. If the server's processes are known, the system reports
    /// their CPU time inside the window. Otherwise the server reports its CPU time, which includes load before and after
    /// the window. The other values come from the server or, if the server reports nothing, from the system. Null when
    /// neither the server nor the system reports the usage.
    /// </summary>
    public ProcessUsage? Server { get; init; }

    /// <summary>The CPU time of the whole machine during the window. Null when the system does not report this time.</summary>
    public MachineUsage? Machine { get; init; }

    public required ConnectionStats Connections { get; init; }

    /// <summary>The endpoints of <c>--watch</c> in the order of the command line. Empty without <c>--watch</c>.</summary>
    public IReadOnlyList<WatchedEndpoint> Watched { get; init; } = [];

    /// <summary>Calls completed by each client thread. Threads that completed no call are left out.</summary>
    public IReadOnlyList<long> ThreadCalls { get; init; } = [];

    /// <summary>Calls completed in each 100 ms of the window.</summary>
    public IReadOnlyList<long> Buckets { get; init; } = [];

    /// <summary>
    /// Methods that the JIT compiled in the client during the window. Many methods are a sign that the client was not warm.
    /// </summary>
    public long MethodsCompiled { get; init; }

    /// <summary>
    /// Time in ns of a fixed integer loop, measured just before the cell. The time shows how fast the machine was. 0 when not measured.
    /// </summary>
    public long FixedLoopNs { get; init; }

    /// <summary>
    /// Time in ns of one memory access in a walk through 4 MiB, measured just before the cell. The time shows how much of
    /// the shared cache the machine had. 0 when not measured.
    /// </summary>
    public double MemoryStepNs { get; init; }

    /// <summary>
    /// Why the round is doubtful: other load on the machine, or a standstill of the machine. A later attempt of the
    /// same round replaces the round. Without a later attempt the round counts, and reports show the doubt. Empty for a
    /// round that is not spoiled.
    /// </summary>
    public string Spoiled { get; init; } = "";

    /// <summary>
    /// The slices in which this round of the cell was measured. All other members, including <see cref="WindowNs"/>, are
    /// sums over the slices (histograms merged). Null for a round of one window.
    /// </summary>
    public SliceReadings? Slices { get; init; }
}

/// <summary>
/// Back-pressure on the streams, by cause. Each share is the time in which streams had data to write but could not write,
/// divided by the time of all streams.
/// </summary>
/// <param name="StreamWindow">The stream's flow-control window was closed (RFC 9113, 6.9).</param>
/// <param name="ConnectionWindow">The connection's flow-control window was closed.</param>
/// <param name="Socket">The socket accepted no more data.</param>
/// <param name="Times">How often a stream was blocked.</param>
/// <param name="ResumeNs">Mean time in ns until the stream could write again. 0 if no stream was blocked.</param>
/// <param name="AheadBytes">
/// The largest number of flow-controlled bytes in flight on a connection when a stream was blocked. These bytes were
/// written, and the reader's WINDOW_UPDATE for these bytes had not yet arrived.
/// </param>
public sealed record BlockedShares(
    double StreamWindow, double ConnectionWindow, double Socket, long Times = 0, long ResumeNs = 0, long AheadBytes = 0);
