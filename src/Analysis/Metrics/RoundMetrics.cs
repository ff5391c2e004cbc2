using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Metrics;

/// <summary>One round with its histograms decoded when first asked for: what metrics are computed from.</summary>
public sealed class RoundMetrics(Measurement round)
{
    private LatencyCounts? ended;
    private LatencyCounts? latency;
    private LatencyCounts? serviceTime;
    private LatencyCounts? lateness;

    public Measurement Record => round;

    /// <summary>
    /// Calls cut off, and those that were due and never sent, count with their lower bounds. Empty when the times of successful
    /// calls are unknown: otherwise the lower bounds of a few calls would be reported as the latency of all calls.
    /// </summary>
    public LatencyCounts Latency => latency ??= Ended.Count == 0 && round.Ok > 0 ? LatencyCounts.Empty
        : Ended.WithBounds(LatencyCounts.Decode(round.CutOffLatency).Add(LatencyCounts.Decode(round.NotSentLatency)));

    /// <summary>Latencies of the calls that ended well.</summary>
    public LatencyCounts Ended => ended ??= LatencyCounts.Decode(round.Latency);

    /// <summary>From the send to the reply; empty in a closed loop.</summary>
    public LatencyCounts ServiceTime => serviceTime ??= LatencyCounts.Decode(round.ServiceTime);

    /// <summary>From the intended start to the send, calls never sent with their lower bounds; empty in a closed loop.</summary>
    public LatencyCounts Lateness =>
        lateness ??= LatencyCounts.Decode(round.SendLateness).WithBounds(LatencyCounts.Decode(round.NotSentLatency));

    /// <summary>The latencies of all these rounds as those of one; anything else is the first one's.</summary>
    internal static RoundMetrics Together(IReadOnlyList<RoundMetrics> rounds)
    {
        LatencyCounts Sum(Func<Measurement, string> text) =>
            rounds.Aggregate(LatencyCounts.Empty, (sum, one) => sum.Add(LatencyCounts.Decode(text(one.Record))));
        var (ended, late) = (Sum(round => round.Latency), Sum(round => round.NotSentLatency));
        return new RoundMetrics(rounds[0].Record)
        {
            ended = ended,
            latency = ended.Count == 0 && rounds.Any(one => one.Record.Ok > 0) ? LatencyCounts.Empty
                : ended.WithBounds(Sum(round => round.CutOffLatency).Add(late)),
            serviceTime = Sum(round => round.ServiceTime),
            lateness = Sum(round => round.SendLateness).WithBounds(late),
        };
    }

    /// <summary>Whether calls are missing from the latencies, so that means are lower bounds.</summary>
    public bool IsIncomplete => round.CutOff > 0 || round.NotSent > 0;

    /// <summary>Calls that could be out at a time over all connections; the server may allow fewer streams than were asked for.</summary>
    /// <param name="streams">Of one connection, as asked for.</param>
    public long InFlight(int streams) =>
        Math.Max(1, round.Connections.Opened * Math.Min(streams, round.Connections.StreamsAllowed ?? streams));

    public double Seconds => round.WindowNs / 1e9;

    /// <summary>Calls that the window is credited with, per second of measured time.</summary>
    public double Rate => Credited / Seconds;

    /// <summary>Throughput's dividend, whichever way the file counts.</summary>
    public double Credited => round.Credited ?? round.Completed;

    /// <summary>Mean latency in ns; null when no call ended well, or nobody knows how long it took.</summary>
    public double? MeanNs => round.Ok == 0 || round.LatencySumNs == 0 ? null : (double)round.LatencySumNs / round.Ok;

    public long FailedCalls => round.Failed.Values.Sum();

    /// <summary>The calls that the client's usage is divided by; 0 when none ended well, and then there is no cost of a call.</summary>
    public double ClientCalls => round.Credited
        ?? (round.Client.Calls > 0 ? round.Client.Calls : Math.Max(round.Ok, round.Completed));

    /// <summary>The calls that the server's CPU time is divided by; 0 when none ended well.</summary>
    public double ServerCalls =>
        round.Server is { Calls: > 0 } server && !(round.Credited > 0 && IsServerOfWindow) ? server.Calls : ClientCalls;

    /// <summary>The calls that what the server counts itself is divided by; 0 when none ended well.</summary>
    public double ServerCounted => round.Server is { CountedCalls: > 0 } server ? server.CountedCalls : ServerCalls;

    /// <summary>
    /// The server's CPU time is that of the window, as the client's is: read from outside, or of a file whose windows had no load around
    /// them. What a server tells itself is of all the load.
    /// </summary>
    private bool IsServerOfWindow =>
        round.Credited is null || round.Server is { CountedCalls: > 0 } or { GcCollections.Count: 0 };

    /// <summary>Busy time of the machine that neither process claims, in ns; null where the system or the server does not tell.</summary>
    public double? UnattributedNs => round.Machine is { } machine && round.Server is { } server && IsServerOfWindow
        ? Math.Max(0, machine.BusyNs - (double)CpuNs(round.Client) - CpuNs(server)) : null;

    public static long CpuNs(ProcessUsage usage) => usage.CpuUserNs + usage.CpuKernelNs;
}
