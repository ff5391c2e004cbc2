using System.Globalization;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>Doubts about the calls of a cell: their number, how they ended, and whether all were sent.</summary>
internal static class CallDoubts
{
    private const double MostEdge = 0.01;
    private const double LeastSent = 0.99;
    private const double MostLate = 0.05;

    /// <summary>Reports calls that failed or had no reply before the time-out.</summary>
    public static Observation? Failures(MeasuredRun run, MeasuredCell cell) => FailuresIn(cell.Rounds);

    /// <summary>Reports calls of these rounds, or of these windows of a search, that failed or had no reply before the time-out.</summary>
    public static Observation? FailuresIn(IReadOnlyList<RoundMetrics> rounds)
    {
        var failed = rounds.SelectMany(r => r.Record.Failed).Where(entry => entry.Value > 0)
            .GroupBy(entry => entry.Key, entry => entry.Value).Select(kind => (Kind: kind.Key, Count: kind.Sum()))
            .OrderByDescending(kind => kind.Count).ToList();
        var (cutOff, started) = (rounds.Sum(r => r.Record.CutOff), rounds.Sum(r => r.Record.Started));
        if (cutOff > 0)
            failed.Add(("no answer in time", cutOff));
        var total = failed.Sum(kind => kind.Count);
        var messages = rounds.SelectMany(r => r.Record.FailureMessages).ToLookup(entry => entry.Key, entry => entry.Value);
        return total == 0 ? null : new Observation((double)total / started,
            Invariant($"{total} of {started} calls failed ") + $"({string.Join(", ", failed.Select(Text))})");

        string Text((string Kind, long Count) kind) => FailureText.Describe(kind.Kind, kind.Count, messages[kind.Kind].FirstOrDefault());
    }

    /// <summary>Reports connections that could not be opened because every local port was in use or in TIME_WAIT.</summary>
    public static Observation? NoLocalPort(MeasuredRun run, MeasuredCell cell)
    {
        var without = cell.Rounds.Sum(r => r.Record.Failed.GetValueOrDefault("no local port"));
        var started = cell.Rounds.Sum(r => r.Record.Started);
        return without == 0 ? null : new Observation((double)without / started,
            Invariant($"{without} of {started} calls found no free local port; the side that closes a TCP connection first ")
            + "keeps its port for a minute (TIME_WAIT), and all ports of the range were in use");
    }

    /// <summary>Reports histograms whose number of latencies differs from the number of counted calls.</summary>
    public static Observation? LostSamples(MeasuredRun run, MeasuredCell cell) =>
        cell.Rounds.Where(r => r.Ended.Count != r.Record.Ok && !IsOfAnotherClock(cell, r))
            .Select(r => new Observation(Math.Abs(r.Ended.Count - r.Record.Ok),
                Invariant($"round {r.Record.Number} counted {r.Record.Ok} calls and recorded {r.Ended.Count} latencies")))
            .MaxBy(seen => seen.Severity);

    /// <summary>Reports one-way messages whose latencies are unknown because client and server use different clocks.</summary>
    public static Observation? OtherClock(MeasuredRun run, MeasuredCell cell) =>
        cell.Key.Method.Length == 0 && cell.Rounds.Any(r => IsOfAnotherClock(cell, r))
        ? new Observation(1, "latency is not shown: client and server take their time stamps from different clocks "
            + "(another machine, a time namespace, or a server that breaks the contract)")
        : null;

    private static bool IsOfAnotherClock(MeasuredCell cell, RoundMetrics r) =>
        cell.Key.IsOneWay && r.Record.Ok > 0 && r.Ended.Count == 0;

    /// <summary>Reports an open loop that did not send all calls that were due.</summary>
    public static Observation? RateMissed(MeasuredRun run, MeasuredCell cell)
    {
        var worst = cell.Rounds.Where(r => r.Record.AskedRate > 0 && IsMissed(run, r)).MinBy(ShareReached);
        if (worst is null)
            return null;
        var (asked, sent, unsent) = (worst.Record.AskedRate, worst.Record.Started / worst.Seconds, worst.Record.NotSent);
        // With random arrivals, the client may send more calls per second than requested although it did not send some
        // calls that were due.
        return new Observation(1 - ShareReached(worst), unsent > 0
            ? $"{Quantity.Count(unsent)} of {Quantity.Count(worst.Record.Started + unsent)} calls that were due were not sent"
            : $"{Quantity.Count(asked)} calls/s were requested and {Quantity.Count(sent)} were sent");
    }

    /// <summary>Reports that the client sent calls so late that this delay is a noticeable part of the latency.</summary>
    public static Observation? LateSends(MeasuredRun run, MeasuredCell cell)
    {
        var worst = cell.Rounds.Where(r => r.Record.AskedRate > 0 && ShareLate(r) > MostLate).MaxBy(ShareLate);
        return worst is null ? null : new Observation(ShareLate(worst),
            Invariant($"in round {worst.Record.Number} half of the calls were sent at least ")
            + $"{Quantity.Duration(worst.Lateness.At(50)!.Value)} late, which is {Quantity.Percent(ShareLate(worst))} of "
            + $"the median latency ({Quantity.Duration(worst.Latency.At(50)!.Value)}); the median service time is "
            + Quantity.Duration(worst.ServiceTime.At(50) ?? 0));
    }

    /// <summary>
    /// Reports that the payloads in flight do not fit into the cache, so that the run also measures the speed of main memory.
    /// </summary>
    public static Observation? BytesInFlight(MeasuredRun run, MeasuredCell cell)
    {
        var bytes = (double)cell.Key.Connections * cell.Key.Streams * cell.Key.Size;
        var cache = LastLevelCache(run.Record.Host.Settings.GetValueOrDefault("cpu/cpu0/cache/index3/size", ""));
        return !cell.Key.IsFullLoad || cache == 0 || bytes <= cache ? null : new Observation(bytes / cache,
            $"{Quantity.Size((long)bytes)} are in flight at a time, but the last-level cache holds only {Quantity.Size(cache)}");
    }

    /// <summary>
    /// Reports that the window has so few calls that the calls across its beginning or end may bias the rate, by up to
    /// (calls in flight) / (calls in the window). Only files without <see cref="Measurement.Credited"/> have this bias.
    /// </summary>
    public static Observation? EdgeBias(MeasuredRun run, MeasuredCell cell)
    {
        if (cell.Rounds.All(r => r.Record.Credited is not null))
            return null;
        var calls = RatioEstimate.Median(cell.Rounds.Select(r => (double)r.Record.Completed));
        var inFlight = (double)cell.Key.Connections * cell.Key.Streams;
        return cell.Key.IsFullLoad && calls > 0 && inFlight / calls > MostEdge
            ? new Observation(inFlight / calls, Invariant($"a window had only {Quantity.Count(calls)} calls with {inFlight:0} in flight, ")
                + $"so its edges may bias the rate by up to {Quantity.Percent(inFlight / calls)}")
            : null;
    }

    /// <summary>Reports that there are too few calls for p99.</summary>
    public static Observation? FewSamples(MeasuredRun run, MeasuredCell cell)
    {
        var latency = cell.OfLatencies!.Latency;
        return latency.Count == 0 || latency.HasDataFor(99) ? null : new Observation(1.0 / latency.Count, Invariant(
            $"of {latency.Count} calls fewer than {LatencyCounts.SamplesBeyond} lie beyond p99, so p99 is not shown"));
    }

    // Older files do not count calls that were not sent. In these files only a low rate of sent calls shows that calls were not sent.
    private static bool IsMissed(MeasuredRun run, RoundMetrics r) =>
        r.Record.Started < LeastSent * (r.Record.Started + r.Record.NotSent) || ShareSent(r) < LeastSent - Chance(run, r);

    // A Poisson process of mean N has fewer than N - 4 √N arrivals once in 30,000 windows. At equal intervals, a window has
    // one call less than N if N is no whole number.
    private static double Chance(MeasuredRun run, RoundMetrics r)
    {
        var due = r.Record.AskedRate * r.Seconds;
        return run.Record.Options.Knobs.GetValueOrDefault("arrivals") == "poisson" ? 4 / Math.Sqrt(due) : 1 / due;
    }

    private static double ShareLate(RoundMetrics r) =>
        r.Latency.At(50) is > 0 and var latency && r.Lateness.At(50) is { } late ? late / (double)latency : 0;

    /// <summary>Reads the size of a cache, in bytes, from the text that Linux writes (<c>32768K</c>). 0 for any other text.</summary>
    private static long LastLevelCache(string text) =>
        text.EndsWith('K') && long.TryParse(text[..^1], CultureInfo.InvariantCulture, out var kib) ? kib * 1024 : 0;

    private static double ShareReached(RoundMetrics r) =>
        Math.Min(ShareSent(r), r.Record.Started / (double)Math.Max(1, r.Record.Started + r.Record.NotSent));

    private static double ShareSent(RoundMetrics r) => r.Record.Started / r.Seconds / r.Record.AskedRate;
}

/// <summary>Doubts about the connections of a cell.</summary>
internal static class ConnectionDoubts
{
    /// <summary>Reports connections that were not open or carried no call, and counts that differ between client and server.</summary>
    public static Observation? Differ(MeasuredRun run, MeasuredCell cell) =>
        cell.Rounds.Select(r => Differ(r, cell.Key)).OfType<Observation>().MaxBy(seen => seen.Severity);

    /// <summary>Reports that the server allows fewer streams per connection than requested.</summary>
    public static Observation? StreamsLimited(MeasuredRun run, MeasuredCell cell)
    {
        var asked = cell.Key.Streams;
        return cell.Rounds.Min(r => r.Record.Connections.StreamsAllowed) is { } allowed && allowed < asked
            ? new Observation(asked - allowed,
                Invariant($"the server allows {allowed} streams per connection: of {asked} calls (-m), ")
                + Invariant($"{asked - allowed} waited in the client"))
            : null;
    }

    /// <summary>Reports that connections were reopened so often that opening them is a part of the result.</summary>
    public static Observation? Reopened(MeasuredRun run, MeasuredCell cell) =>
        cell.Rounds.Where(r => r.Record.Connections is { OpenedInAll: null } stats && stats.Reopened > stats.Opened
                && stats.Reopened * 500L >= r.Record.Completed)
            .Select(r => new Observation((double)r.Record.Connections.Reopened / Math.Max(1, r.Record.Completed), Invariant(
                $"in round {r.Record.Number} connections were opened again {r.Record.Connections.Reopened} times for ")
                + Invariant($"{r.Record.Completed} calls: rates and latencies include the time to open connections")))
            .MaxBy(seen => seen.Severity);

    private static Observation? Differ(RoundMetrics r, CellKey key)
    {
        var (stats, number) = (r.Record.Connections, r.Record.Number);
        if (stats.Opened != stats.Requested)
            return new Observation(4, Invariant($"in round {number} only {stats.Opened} of {stats.Requested} connections were open"));
        if (stats.ServerOpen is { } server && server != stats.Opened && stats.Reopened == 0)
        {
            return new Observation(3,
                Invariant($"in round {number} the client counted {stats.Opened} connections and the server {server}"));
        }
        var own = stats.ClientCalls ?? r.ClientCalls;
        // The server counts every message that it sends. The client does not receive the messages that are in flight
        // when the load ends.
        var isMissed = key.Mode == "pull" && stats.ServerCalls > own;
        if (!isMissed && stats.ServerCalls is { } calls && Math.Abs(calls - own) > Math.Max(0.001 * own, 2.0 * stats.Opened * key.Streams))
            return new Observation(2, Invariant($"in round {number} the client counted {own} calls and the server {calls}"));
        // With few calls, some connections stay idle by chance. So a doubt needs more than ten calls per connection.
        return stats.Active < stats.Opened && r.Record.Completed > 10L * stats.Opened
            ? new Observation(1, Invariant($"in round {number} only {stats.Active} of {stats.Opened} connections carried calls"))
            : null;
    }
}
