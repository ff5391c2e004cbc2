namespace IpcBench.Analysis.Results;

/// <summary>
/// One measurement of one cell, raw. Times are in ns, sizes in bytes; <c>started = ok + failed + cut off</c> always holds.
/// </summary>
public sealed record Measurement
{
    /// <summary>Length of one of <see cref="Buckets"/>, in ns.</summary>
    public const long BucketNs = 100_000_000;

    /// <summary>Index into <see cref="RunRecord.Cells"/>.</summary>
    public required int Cell { get; init; }

    /// <summary>1-based number of the round; cells of the same number are pairs.</summary>
    public required int Number { get; init; }

    /// <summary>
    /// 0 for the first try; a spoiled round may be repeated under the next attempt, and the last attempt of a cell and round is the one
    /// that counts.
    /// </summary>
    public int Attempt { get; init; }

    public required DateTimeOffset At { get; init; }

    /// <summary>The measured length of the window: throughput's divisor.</summary>
    public required long WindowNs { get; init; }

    /// <summary>Calls that were started inside the window.</summary>
    public required long Started { get; init; }

    /// <summary>Of the started, those that ended well, inside the window or while it drained.</summary>
    public required long Ok { get; init; }

    /// <summary>
    /// Of the started, failures by kind: <c>connect</c>, <c>reset</c>, <c>status 13</c>, <c>wrong length</c>, <c>protocol</c>, …
    /// </summary>
    public IReadOnlyDictionary<string, long> Failed { get; init; } = new Dictionary<string, long>();

    /// <summary>
    /// Of the kinds of <see cref="Failed"/> for which the server gave a message (or a first reply was not as expected), the first one.
    /// </summary>
    public IReadOnlyDictionary<string, string> FailureMessages { get; init; } = new Dictionary<string, string>();

    /// <summary>Of the started, those still out at the timeout or the drain limit.</summary>
    public long CutOff { get; init; }

    /// <summary>Calls that ended well inside the window, those too that were sent before it.</summary>
    public required long Completed { get; init; }

    /// <summary>
    /// Throughput's dividend: the sum over all calls that ended well of the share of their time, from the send to the end, that lies in
    /// the window; null in files from before this was counted, whose windows began empty and whose dividend is <see cref="Completed"/>.
    /// </summary>
    public double? Credited { get; init; }

    /// <summary>
    /// Payload bytes that arrived inside the window; in files without <see cref="Credited"/> those of the calls in <see cref="Completed"/>.
    /// </summary>
    public required long PayloadBytes { get; init; }

    /// <summary>Of a method other than <c>Bench.Download</c>, bytes of the smallest of those replies; null without any.</summary>
    public long? SmallestReply { get; init; }

    /// <summary>Likewise of the largest.</summary>
    public long? LargestReply { get; init; }

    /// <summary>
    /// All bytes that came on the connections inside the window, headers and failures included (in files without <see cref="Credited"/> to
    /// the end of the drain); null when they were not counted.
    /// </summary>
    public long? ReceivedBytes { get; init; }

    /// <summary>
    /// Latencies in ns of the calls in <see cref="Ok"/>, from the intended start (closed loop: from the send): HdrHistogram V2 compressed,
    /// base64.
    /// </summary>
    public required string Latency { get; init; }

    /// <summary>Exact sum of those latencies in ns, for means.</summary>
    public required long LatencySumNs { get; init; }

    /// <summary>Lower bounds in ns of the calls cut off, same coding; empty when there are none.</summary>
    public string CutOffLatency { get; init; } = "";

    /// <summary>
    /// Open loop: calls that were due inside the window and never sent, since every stream was busy until its end; not among the started.
    /// </summary>
    public long NotSent { get; init; }

    /// <summary>
    /// Lower bounds in ns of the calls not sent, from the intended start to the end of the window, same coding; empty when there are none.
    /// </summary>
    public string NotSentLatency { get; init; } = "";

    /// <summary>Open loop: from the send to the reply; empty in a closed loop, where it equals <see cref="Latency"/>.</summary>
    public string ServiceTime { get; init; } = "";

    /// <summary>Open loop: from the intended start to the send; empty in a closed loop.</summary>
    public string SendLateness { get; init; } = "";

    /// <summary>Open loop: calls per second asked for; 0 in a closed loop.</summary>
    public double AskedRate { get; init; }

    /// <summary>What kept the client's streams from writing inside the window; null where nobody knows.</summary>
    public BlockedShares? Blocked { get; init; }

    /// <summary>What this process used inside the window; in files without <see cref="Credited"/> until the end of the drain.</summary>
    public required ProcessUsage Client { get; init; }

    /// <summary>
    /// What the server used: its CPU time as the system tells it of the server's processes at the edges of the window, or as the server
    /// tells itself; the rest as it tells. Null when neither tells.
    /// </summary>
    public ProcessUsage? Server { get; init; }

    /// <summary>The whole machine meanwhile; null where the system does not tell.</summary>
    public MachineUsage? Machine { get; init; }

    public required ConnectionStats Connections { get; init; }

    /// <summary>The endpoints of <c>--watch</c>, in the order in which they were named; empty without.</summary>
    public IReadOnlyList<WatchedEndpoint> Watched { get; init; } = [];

    /// <summary>Calls completed by each thread that ran completions.</summary>
    public IReadOnlyList<long> ThreadCalls { get; init; } = [];

    /// <summary>Calls completed in each 100 ms of the window.</summary>
    public IReadOnlyList<long> Buckets { get; init; } = [];

    /// <summary>Methods the client compiled during the window (a sign that it was not warm).</summary>
    public long MethodsCompiled { get; init; }

    /// <summary>A fixed integer loop timed just before the cell, in ns: how fast this machine was then; 0 when not timed.</summary>
    public long FixedLoopNs { get; init; }

    /// <summary>
    /// One load of a walk through 4 MiB just before the cell, in ns: what this machine had of the cache that it shares; 0 when not timed.
    /// </summary>
    public double MemoryStepNs { get; init; }

    /// <summary>
    /// What else had the machine meanwhile; empty when nothing. A later attempt of the same cell and round replaces it; without one it
    /// counts, with this doubt.
    /// </summary>
    public string Spoiled { get; init; } = "";

    /// <summary>
    /// The slices that this round of the cell was measured in; null where it was measured in one window. All other members are sums over
    /// the slices (histograms merged), <see cref="WindowNs"/> too.
    /// </summary>
    public SliceReadings? Slices { get; init; }
}

/// <summary>
/// What each slice of a round gave, in the order of measuring. Slice i of one cell is measured next to slice i of the cells that it is
/// compared with: together they are a block.
/// </summary>
public sealed record SliceReadings
{
    /// <summary>How long each slice was to be, in s, without the load before and after it.</summary>
    public required double PlannedSeconds { get; init; }

    /// <summary>Requests/s of each slice: its credited calls by its measured length.</summary>
    public required IReadOnlyList<double> Rates { get; init; }

    /// <summary>
    /// CPU time of the client in ns per credited call, 0 for a slice without one; null where the clock's steps are too coarse for a slice.
    /// </summary>
    public IReadOnlyList<double>? ClientCpuNs { get; init; }

    /// <summary>Likewise of the server; null also where nobody knows its processes.</summary>
    public IReadOnlyList<double>? ServerCpuNs { get; init; }

    /// <summary>Place of each slice in its block, from 0.</summary>
    public required IReadOnlyList<int> Order { get; init; }
}

/// <summary>Back-pressure: shares of the time of all streams in which they had something to write and could not.</summary>
/// <param name="StreamWindow">Since the stream's window (RFC 9113, 6.9) was closed.</param>
/// <param name="ConnectionWindow">Since the connection's was.</param>
/// <param name="Socket">Since the system took no more.</param>
/// <param name="Times">How often a stream was kept from writing.</param>
/// <param name="ResumeNs">Mean time in ns until it went on; 0 when it never was.</param>
/// <param name="AheadBytes">
/// The most flow-controlled bytes that a connection had written then and that its reader had not given back to the window.
/// </param>
public sealed record BlockedShares(
    double StreamWindow, double ConnectionWindow, double Socket, long Times = 0, long ResumeNs = 0, long AheadBytes = 0);
