using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>Signs that the client was measured instead of the transport.</summary>
internal static class ClientDoubts
{
    private const double MostBusy = 0.9;
    private const double MostPause = 0.005;

    // Tiered compilation recompiles a few methods even in a warm client. A cold client compiles hundreds of methods.
    private const double MostCompiled = 20;

    /// <summary>
    /// Reports that the client used nearly all the CPU time that it may use, so that it may be the bottleneck. The
    /// median of the rounds decides, because a single busy round hardly changes a ratio.
    /// </summary>
    public static Observation? Busy(MeasuredRun run, MeasuredCell cell)
    {
        var (cpus, threads) = (CpusAllowed(run.Record), ThreadsAllowed(run.Record, cell.Key));
        var allowed = Math.Min(cpus, threads);
        var share = RatioEstimate.Median(cell.Rounds.Select(r =>
            RoundMetrics.CpuNs(r.Record.Client) / (Span(run.Record, r.Record) * allowed)));
        if (share < MostBusy)
            return null;
        var what = threads < cpus ? threads == 1 ? "its one thread" : Invariant($"its {threads} threads")
            : Invariant($"the {cpus:0.##} {(cpus == 1 ? "CPU" : "CPUs")} that it may use");
        return new Observation(share, $"the client used {Quantity.Percent(share)} of {what}",
            $"{(threads >= cpus ? "Give the client more CPUs"
                : threads < run.Record.Options.Threads ? "A connection has one thread: open more connections (-c)"
                : "Give the client more threads (-t)")}; until then the client may hide that a transport is faster.");
    }

    /// <summary>Reports that the completions of calls ran on more or fewer threads than requested.</summary>
    public static Observation? ThreadsUsed(MeasuredRun run, MeasuredCell cell)
    {
        // Grpc.Net.Client completes its calls on the thread pool, whose threads -t does not limit.
        if (cell.Key.IsOfGrpcNetClient)
            return null;
        var asked = Math.Min(run.Record.Options.Threads, cell.Key.Connections);
        var rounds = cell.Rounds.Where(r => r.Record.ThreadCalls.Count > 0 && r.Record.Completed > 100L * asked).ToList();
        if (rounds.Count == 0)
            return null;
        var used = rounds.Select(r => r.Record.ThreadCalls.Count(calls => calls > 0)).MaxBy(count => Math.Abs(count - asked));
        return used == asked ? null
            : new Observation(Math.Abs(used - asked),
                Invariant($"{Quantity.Many(asked, "thread")} {(asked == 1 ? "was" : "were")} requested and {used} ran completions"));
    }

    /// <summary>Reports that the JIT compiled methods in the client during the window.</summary>
    public static Observation? NotWarm(MeasuredRun run, MeasuredCell cell)
    {
        var compiled = RatioEstimate.Median(cell.Rounds.Select(r => (double)r.Record.MethodsCompiled));
        return compiled > MostCompiled
            ? new Observation(compiled, Invariant($"the JIT compiled {compiled:0} methods of the client during a window")) : null;
    }

    /// <summary>Reports that garbage collections stopped the client for a noticeable part of the window.</summary>
    public static Observation? Collections(MeasuredRun run, MeasuredCell cell)
    {
        var worst = cell.Rounds.MaxBy(SharePaused)!;
        var (client, share) = (worst.Record.Client, SharePaused(worst));
        return share > MostPause
            ? new Observation(share, Invariant($"in round {worst.Record.Number} garbage collections stopped the client for "
                + $"{Quantity.Duration(client.GcPauseNs)} ")
                + $"({Quantity.Many(client.GcCollections.FirstOrDefault(), "collection")})")
            : null;
    }

    private static double SharePaused(RoundMetrics r) => (double)r.Record.Client.GcPauseNs / r.Record.WindowNs;

    /// <summary>
    /// Returns how many CPUs the client may use: its CPU set or all CPUs, within the container's quota.
    /// </summary>
    private static double CpusAllowed(RunRecord run)
    {
        var host = run.Host;
        var cpus = CountOf(host.ClientCpus) ?? (host.LogicalCpus > 0 ? host.LogicalCpus : int.MaxValue);
        return Math.Min(cpus, host.CpuQuota > 0 ? host.CpuQuota : double.MaxValue);
    }

    /// <summary>
    /// Returns the number of threads that can run the client's calls. Grpc.Net.Client uses the thread pool, which -t does
    /// not limit.
    /// </summary>
    private static double ThreadsAllowed(RunRecord run, CellKey key) =>
        key.IsOfGrpcNetClient ? double.MaxValue : Math.Max(1, Math.Min(run.Options.Threads, key.Connections));

    /// <summary>
    /// Returns the length in ns of the time over which the client's CPU usage was measured. The machine's capacity gives
    /// this length if it is known, because in older files the time includes the drain after the window.
    /// </summary>
    private static double Span(RunRecord run, Measurement round) => round.Machine is { CapacityNs: > 0 } machine && run.Host.LogicalCpus > 0
        ? Math.Max(round.WindowNs, (double)machine.CapacityNs / run.Host.LogicalCpus) : round.WindowNs;

    /// <summary>Counts the CPUs in a list such as <c>0-1,4</c>. Null when the text is not a list.</summary>
    private static int? CountOf(string cpus)
    {
        var count = 0;
        foreach (var part in cpus.Split(','))
        {
            var ends = part.Split('-');
            if (!int.TryParse(ends[0], out var first) || !int.TryParse(ends[^1], out var last) || last < first || last > 4096)
                return null;
            count += last - first + 1;
        }
        return count;
    }
}

/// <summary>
/// The check by Little's law: in a closed loop, the number of calls in flight is throughput × mean latency. A difference
/// beyond the tolerance means that the tool lost time or samples, or that the machine stood still at an edge of a window.
/// </summary>
internal static class LittlesLaw
{
    private const double LeastOff = 0.01;
    private const int FewestCallsOfStream = 100;

    // Rounds of slices are judged by the mean of their differences. A doubt needs at least FewestRounds rounds, and a
    // mean that is at least ErrorsOff standard errors away from 0.
    private const int FewestRounds = 4;
    private const double ErrorsOff = 4;

    // A client thread may be stopped once for this long, by a garbage collection or by other threads on its CPU.
    private const double StandstillNs = 25e6;

    public static Observation? Broken(MeasuredRun run, MeasuredCell cell)
    {
        if (cell.Key.IsOneWay)
            return null; // the number of messages in buffers is unknown
        // The first streams may make all calls of a short round of -n calls before the last streams begin.
        var inParallel = cell.Key.Connections * (long)cell.Key.Streams;
        if (inParallel > 1 && run.Record.Options.Calls is > 0 and var calls && calls < FewestCallsOfStream * inParallel)
            return null;
        // Calls on streams beyond the server's limit wait before their latency begins, so they are not in flight. The
        // time of failed calls is part of no latency, so rounds with failed calls cannot be checked.
        var streams = cell.Key.Streams;
        var checkable = cell.Rounds
            .Where(r => r.Record is { AskedRate: 0, CutOff: 0, Ok: > 0 } && r.Credited > 0 && r.FailedCalls == 0 && Keeps(r.Record))
            .ToList();
        if (checkable.FindAll(r => r.Record.Slices is not null) is { Count: > 0 } sliced)
            return OfSlices(sliced, streams);
        var worst = checkable
            .Where(r => Off(r, streams) > LeastOff && Off(r, streams) > Tolerance(r, streams))
            .OrderByDescending(r => Off(r, streams)).FirstOrDefault();
        return worst is null ? null : new Observation(Off(worst, streams),
            Invariant($"round {worst.Record.Number} had {Found(worst):0.0} calls in flight by Little's law (requests/s × mean latency), ")
            + Invariant($"but {worst.InFlight(streams)} were in flight: a difference of {Quantity.Percent(Off(worst, streams))}"));
    }

    // A slice is only a few calls long, and some of these calls cross its beginning or end. So the computed number of
    // calls in flight varies by some percent. Lost time or samples show in the mean of all rounds.
    private static Observation? OfSlices(IReadOnlyList<RoundMetrics> rounds, int streams)
    {
        double[] shares = [.. rounds.Select(r => Found(r) / r.InFlight(streams) - 1)];
        var mean = shares.Average();
        var error = Math.Sqrt(shares.Sum(share => (share - mean) * (share - mean)) / Math.Max(1, shares.Length - 1) / shares.Length);
        if (shares.Length < FewestRounds || Math.Abs(mean) < Math.Max(LeastOff, ErrorsOff * error))
            return null;
        var inFlight = rounds[0].InFlight(streams);
        return new Observation(Math.Abs(mean),
            Invariant($"the rounds had {(1 + mean) * inFlight:0.0} calls in flight on average by Little's law (requests/s × mean latency")
            + Invariant($"), but {inFlight} were in flight: a difference of {Quantity.Percent(Math.Abs(mean))}"));
    }

    /// <summary>
    /// Whether connections were reopened so rarely that Little's law holds. A closed connection has no calls in flight.
    /// </summary>
    private static bool Keeps(Measurement round) =>
        round.Connections is { OpenedInAll: null } stats && stats.Reopened * 500L < round.Completed;

    private static double Off(RoundMetrics r, int streams) => Math.Abs(Found(r) / r.InFlight(streams) - 1);

    /// <summary>
    /// Returns the largest of three numbers: 1 %, the effect of one stop of one thread, and the effect of the calls
    /// that cross the beginning or end of the window. The number of these calls equals the number of calls in flight.
    /// If all calls take equally long, the effect is (calls in flight) / (calls in the window). At worst, the calls
    /// that cross the end are the longest of all, for example when everything stops at the end of the window.
    /// </summary>
    private static double Tolerance(RoundMetrics r, int streams)
    {
        var inFlight = r.InFlight(streams);
        var (left, longest) = (inFlight, 0.0);
        foreach (var (slot, count) in r.Latency.Descending())
        {
            var taken = Math.Min(left, count);
            (left, longest) = (left - taken, longest + taken * (double)LatencyCounts.MiddleOf(slot));
            if (left == 0)
                break;
        }
        var standstill = StandstillNs / Math.Max(1, r.Record.ThreadCalls.Count) / r.Record.WindowNs;
        return Math.Max(Math.Max(LeastOff, standstill), Math.Max(inFlight / r.Credited, longest / inFlight / r.Record.WindowNs));
    }

    private static double Found(RoundMetrics r) => r.Rate * (r.MeanNs ?? 0) / 1e9;
}
