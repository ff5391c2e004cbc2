using System.Runtime.CompilerServices;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>A kind of doubt about the numbers of a run, and how it is found in the rounds.</summary>
/// <param name="Look">Returns the doubt with its numbers and an advice. Null when there is no doubt.</param>
/// <param name="Reach">Which numbers the doubt concerns.</param>
public sealed record Doubt(Func<MeasuredRun, Advice?> Look, Reach Reach)
{
    /// <summary>All doubts, the most severe first. A new doubt needs a function and an entry here.</summary>
    public static IReadOnlyList<Doubt> All { get; } =
    [
        new(RunDoubts.AaFailed, Reach.EveryRatio),
        new(RunDoubts.AaTooFew, Reach.Figures),
        new(RunDoubts.Incomplete, Reach.Figures),
        InCells("failures", Reach.Ratios, CallDoubts.Failures,
            "Find out why calls failed: failed calls take the server's time, but rates and latencies leave them out."),
        InCells("ports", Reach.Figures, CallDoubts.NoLocalPort,
            "Open fewer connections per minute than there are ports (-R), widen net.ipv4.ip_local_port_range (Windows: netsh "
            + "int ipv4 set dynamicport), "
            + "let Linux reuse ports in TIME_WAIT (net.ipv4.tcp_tw_reuse=1), or use a Unix socket, which needs no port."),
        InCells("lost-samples", Reach.Ratios, CallDoubts.LostSamples,
            "Do not use these latencies, and report this fault: the tool or the file is wrong."),
        InCells("other-clock", Reach.Figures, CallDoubts.OtherClock,
            "Measure both sides on one machine, or use --mode ping-pong, which needs only one clock."),
        InCells("little", Reach.Ratios, LittlesLaw.Broken,
            "Do not use these latencies: the machine stood still at an edge of the window, or the tool lost time or samples. Repeat with "
                + "fewer threads than cores, and report a fault of the tool if this comes again on an idle machine."),
        InCells("connections", Reach.Ratios, ConnectionDoubts.Differ,
            "Check the limits with GrpcBench doctor, and make sure that no other client uses this server."),
        InCells("reopened", Reach.Ratios, ConnectionDoubts.Reopened,
            "Find out why the server ends its connections (a limit on calls or age, GOAWAY), and raise that limit."),
        InCells("streams-limit", Reach.Figures, ConnectionDoubts.StreamsLimited,
            "Lower -m to the limit of the server, open more connections (-c), "
            + "or raise the limit (GrpcBenchServer --max-streams)."),
        InCells("rate-missed", Reach.Ratios, CallDoubts.RateMissed,
            "Use a lower rate (-R), or more connections: every stream was busy when a call was due."),
        InCells("late-sends", Reach.Figures, CallDoubts.LateSends,
            "Compare the service time with the latency, use a lower rate (-R), or give the client CPUs of its own (--client-cpus)."),
        InCells("client-limit", Reach.Figures, ClientDoubts.Busy, ""),
        InCells("threads", Reach.Figures, ClientDoubts.ThreadsUsed, "The result is valid for the threads that ran completions."),
        InCells("not-warm", Reach.Figures, ClientDoubts.NotWarm, "Warm up longer: --warmup 5s."),
        InCells("not-steady", Reach.Figures, Steadiness.Trend, "Warm up longer (--warmup 5s) or measure longer (-d 10s)."),
        InCells("trend", Reach.Figures, Steadiness.TrendOverRounds,
            "Use ratios: a trend that both arms share cancels out in a ratio of one round, but not in absolute figures. Find out what "
            + "changed on the machine, or in a server that ran through all rounds."),
        InCells("placement", Reach.Ratios, Steadiness.TwoGroups,
            "Pin both sides to CPUs: --client-cpus, and --server-cpus or, for your own server, taskset (Windows: start /affinity)."),
        InCells("spoiled", Reach.Figures, MachineDoubts.SpoiledRounds, "Stop other programs on this machine and run again."),
        InCells("foreign-load", Reach.Figures, MachineDoubts.ForeignLoad, "Stop other programs on this machine, or run more rounds."),
        InCells("steal", Reach.Figures, MachineDoubts.Steal, "Measure on a machine of your own, or at another time, and with more rounds."),
        new(RunDoubts.Throttling, Reach.Figures),
        new(RunDoubts.SharedCache, Reach.Figures),
        InCells("client-gc", Reach.Figures, ClientDoubts.Collections,
            "The longest latencies may be the client's own pauses: read p50 and p90 instead."),
        InCells("edge-bias", Reach.Figures, CallDoubts.EdgeBias, "Measure longer (-d) or with fewer connections (-c)."),
        InCells("unattributed-cpu", Reach.Figures, MachineDoubts.UnclaimedCpu,
            "Compare the sum of client, server and unattributed CPU, not the sides alone."),
        InCells("bytes-in-flight", Reach.Figures, CallDoubts.BytesInFlight,
            "The result is valid for this number of connections only: measure with fewer connections (-c) to learn about the transport."),
        InCells("few-samples", Reach.Figures, CallDoubts.FewSamples, "Measure longer (-d) to see these percentiles."),
        new(RunDoubts.TlsCompared, Reach.Figures),
        new(RunDoubts.PipeIsSocket, Reach.Figures),
    ];

    private static readonly ConditionalWeakTable<MeasuredRun, IReadOnlyList<(Doubt Doubt, Advice Advice)>> Found = [];

    /// <summary>Lists the doubts found in the rounds, followed by the doubts that were recorded during the run.</summary>
    public static IReadOnlyList<Advice> Find(MeasuredRun run) =>
        [.. In(run).Select(found => found.Advice), .. run.Record.Advice.Where(advice => !IsOutlived(run, advice))];

    /// <summary>Returns the ID of the most severe doubt about the ratio of these cells. Null without such a doubt.</summary>
    public static string? OfRatio(MeasuredRun run, MeasuredCell cell, MeasuredCell reference) =>
        In(run).FirstOrDefault(found => found.Doubt.Reach switch
        {
            Reach.EveryRatio => true,
            Reach.Ratios => found.Advice.Cells.Contains(cell.Index) || found.Advice.Cells.Contains(reference.Index),
            _ => false,
        }).Advice?.Id;

    private static IReadOnlyList<(Doubt Doubt, Advice Advice)> In(MeasuredRun run) => Found.GetValue(run, one =>
        [.. All.Select(doubt => (doubt, Advice: doubt.Look(one)!)).Where(found => found.Advice is not null)]);

    /// <summary>
    /// Whether the rounds replace a doubt that was recorded during the run. The doubt about other processes before the
    /// run is replaced if the rounds report what other processes used during the run.
    /// </summary>
    private static bool IsOutlived(MeasuredRun run, Advice advice) => advice.Id == "foreign-load"
        && run.Cells.Any(cell => cell.Rounds.Any(r => r.Record.Machine?.OthersNs is not null));

    /// <summary>Makes a doubt about cells. All doubtful cells share one advice, which has the numbers of the worst cell.</summary>
    private static Doubt InCells(string id, Reach reach, Func<MeasuredRun, MeasuredCell, Observation?> look, string fix) => new(run =>
    {
        var measured = run.Cells.Where(cell => cell.Rounds.Count > 0).ToList();
        var found = measured.Select(cell => (Cell: cell, Seen: look(run, cell))).Where(entry => entry.Seen is not null).ToList();
        if (found.Count == 0)
            return null;
        var (worst, seen) = found.MaxBy(entry => entry.Seen!.Severity);
        var others = found.Count == 1 ? "" : Invariant($" (the worst of {found.Count} such cells out of {measured.Count})");
        return new Advice
        {
            Id = id,
            Doubt = $"At {worst.Key.Arm}, {Arms.NameOf(run, worst.Workload)}: {seen!.Text}{others}.",
            Fix = seen.Fix ?? fix,
            Cells = [.. found.Select(entry => entry.Cell.Index)],
        };
    }, reach);
}
