using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Metrics;

/// <summary>A round from which metrics are computed. Histograms are decoded when they are first needed.</summary>
public sealed class RoundMetrics(Measurement round)
{
    private LatencyCounts? ended;
    private LatencyCounts? latency;
    private LatencyCounts? serviceTime;
    private LatencyCounts? lateness;
    private double? meanNs;
    private bool? isIncomplete;

    public Measurement Record => round;

    /// <summary>
    /// Latencies of calls. Calls that were cut off, and calls that were due but not sent, are included with lower
    /// bounds. Empty when the latencies of the successful calls are unknown: the lower bounds of a few calls alone
    /// would look like the latency of all calls.
    /// </summary>
    public LatencyCounts Latency => latency ??= Ended.Count == 0 && round.Ok > 0 ? LatencyCounts.Empty
        : Ended.WithBounds(LatencyCounts.Decode(round.CutOffLatency).Add(LatencyCounts.Decode(round.NotSentLatency)));

    /// <summary>Latencies of the calls that succeeded.</summary>
    public LatencyCounts Ended => ended ??= LatencyCounts.Decode(round.Latency);

    /// <summary>Times from the send to the reply. Empty in a closed loop.</summary>
    public LatencyCounts ServiceTime => serviceTime ??= LatencyCounts.Decode(round.ServiceTime);

    /// <summary>Times from the intended start to the send. Calls that were not sent have lower bounds. Empty in a closed loop.</summary>
    public LatencyCounts Lateness =>
        lateness ??= LatencyCounts.Decode(round.SendLateness).WithBounds(LatencyCounts.Decode(round.NotSentLatency));

    /// <summary>Makes a round with the latencies of all these rounds. Everything else is from the first round.</summary>
    internal static RoundMetrics Together(IReadOnlyList<RoundMetrics> rounds)
    {
        LatencyCounts Sum(Func<Measurement, string> text) =>
            rounds.Aggregate(LatencyCounts.Empty, (sum, one) => sum.Add(LatencyCounts.Decode(text(one.Record))));
        var timed = rounds.Where(one => one.MeanNs is not null).ToList();
        var (ended, late) = (Sum(round => round.Latency), Sum(round => round.NotSentLatency));
        return new RoundMetrics(rounds[0].Record)
        {
            ended = ended,
            latency = ended.Count == 0 && rounds.Any(one => one.Record.Ok > 0) ? LatencyCounts.Empty
                : ended.WithBounds(Sum(round => round.CutOffLatency).Add(late)),
            serviceTime = Sum(round => round.ServiceTime),
            lateness = Sum(round => round.SendLateness).WithBounds(late),
            meanNs = timed.Sum(one => one.Record.Ok) is > 0 and var calls
                ? timed.Sum(one => (double)one.Record.LatencySumNs) / calls : null,
            isIncomplete = rounds.Any(one => one.IsIncomplete),
        };
    }

    /// <summary>Whether some calls were cut off or not sent. The mean latency is then a lower bound.</summary>
    public bool IsIncomplete => isIncomplete ?? (round.CutOff > 0 || round.NotSent > 0);

    /// <summary>
    /// Returns the number of calls that can be in flight on all connections together. The server may allow fewer
    /// streams than requested.
    /// </summary>
    public long InFlight(int streams) =>
        Math.Max(1, round.Connections.Opened * Math.Min(streams, round.Connections.StreamsAllowed ?? streams));

    public double Seconds => round.WindowNs / 1e9;

    /// <summary>Credited calls per second of measured time.</summary>
    public double Rate => Credited / Seconds;

    /// <summary>
    /// The number of calls that throughput is computed from. In older files, which do not credit parts of calls, this
    /// is the number of completed calls.
    /// </summary>
    public double Credited => round.Credited ?? round.Completed;

    /// <summary>Mean latency in ns. Null when no call succeeded, or the latencies are unknown.</summary>
    public double? MeanNs => meanNs ?? (round.Ok == 0 || round.LatencySumNs == 0 ? null : (double)round.LatencySumNs / round.Ok);

    public long FailedCalls => round.Failed.Values.Sum();

    /// <summary>The number of calls by which the client's CPU time and other usage are divided. 0 when no call succeeded.</summary>
    public double ClientCalls => round.Credited
        ?? (round.Client.Calls > 0 ? round.Client.Calls : Math.Max(round.Ok, round.Completed));

    /// <summary>The number of calls by which the server's CPU time is divided. 0 when no call succeeded.</summary>
    public double ServerCalls =>
        round.Server is { Calls: > 0 } server && !(round.Credited > 0 && IsServerOfWindow) ? server.Calls : ClientCalls;

    /// <summary>The number of calls by which the server's own counters are divided. 0 when no call succeeded.</summary>
    public double ServerCounted => round.Server is { CountedCalls: > 0 } server ? server.CountedCalls : ServerCalls;

    /// <summary>
    /// Whether the server's CPU time covers the window alone, as the client's does. This is so if the system reported
    /// the CPU time, and in older files, whose windows had no load around them. CPU time that the server itself
    /// reported also covers the load before and after the window.
    /// </summary>
    private bool IsServerOfWindow =>
        round.Credited is null || round.Server is { CountedCalls: > 0 } or { GcCollections.Count: 0 };

    /// <summary>
    /// CPU time of the machine in ns that neither client nor server used. Null when the CPU time of the machine or of
    /// the server in the window is unknown.
    /// </summary>
    public double? UnattributedNs => round.Machine is { } machine && round.Server is { } server && IsServerOfWindow
        ? Math.Max(0, machine.BusyNs - (double)CpuNs(round.Client) - CpuNs(server)) : null;

    public static long CpuNs(ProcessUsage usage) => usage.CpuUserNs + usage.CpuKernelNs;
}
