using IpcBench.Analysis.Statistics;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Results;

/// <summary>Checks that the content of a file is possible, so that reports can rely on it.</summary>
internal static class ResultsCheck
{
    private const long Largest = 1L << 53;

    // Sums over all rounds of a file must fit into a long.
    private const long LargestSum = 1L << 62;
    private const int MostRounds = 10_000_000;

    // A report compares every two arms of a workload, and looks at all cells for each cell.
    private const int MostCells = 2_000;
    private const long MostPairs = 100_000;

    /// <summary>Finds the first fault, as a clause. Null when there is no fault.</summary>
    public static string? FirstFault(RunRecord run)
    {
        if (run.Cells.Count > MostCells || run.Rounds.Count > MostRounds)
            return "the file lists more cells or rounds than a run can have";
        if (HasNull(run.CommandLine) || HasNull(run.Cells) || HasNull(run.Rounds) || HasNull(run.Servers)
            || HasNull(run.ServerProcesses) || HasNull(run.Advice)
            || run.Servers.Any(server => HasNull(server.Addresses) || HasNull(server.Settings))
            || run.ServerProcesses.Any(process => HasNull(process.Addresses))
            || HasNull(run.Host.Settings) || HasNull(run.Host.RuntimeVariables) || HasNull(run.Options.Knobs))
            return "a list holds null";
        for (var i = 0; i < run.Cells.Count; i++)
        {
            if (FaultOf(run.Cells[i].Key) is { } fault)
                return Invariant($"cell {i}: {fault}");
        }
        if (run.Cells.GroupBy(cell => (cell.Key.Size, cell.Key.Connections, cell.Key.Streams, cell.Key.Load))
            .Sum(arms => (long)arms.Count() * arms.Count() / 2) > MostPairs)
            return "the file compares more arms than a run can have";
        var sum = (Int128)0;
        for (var i = 0; i < run.Rounds.Count; i++)
        {
            if (FaultOf(run.Rounds[i], run.Cells.Count, ref sum) is { } fault)
                return Invariant($"rounds[{i}]: {fault}");
        }
        if (run.Rounds.DistinctBy(round => (round.Cell, round.Number, round.Attempt)).Count() < run.Rounds.Count)
            return "a cell has two measurements of the same round and attempt";
        if (sum > LargestSum)
            return "the rounds add up to more calls or time than a run can have";
        return FaultOf(run.Options) ?? FaultOf(run.Host) ?? FaultOf(run.Call) ?? ProfileCheck.Fault(run.Profile, run.Cells.Count)
            ?? (run.Advice.SelectMany(a => a.Cells).Any(cell => cell < 0 || cell >= run.Cells.Count)
                ? "an advice is about a cell that does not exist" : null);
    }

    private static string? FaultOf(RunOptionsRecord options) =>
        Bad(options.Rounds, options.DurationNs, options.SliceNs, options.Calls, options.WarmupNs, options.TimeoutNs, options.Threads,
            options.RehearsalNs) || options.Delta is not (> 0 and <= 10) || options.Looks.Any(look => look < 1)
            ? "an option has an impossible number" : null;

    private static string? FaultOf(HostInfo host) =>
        Bad(host.CpuQuota) || Bad(host.LogicalCpus, host.PhysicalCores, host.Sockets, host.MemoryBytes, host.SoMaxConn)
            || host.OpenFileLimit < 0 ? "the machine has an impossible number" : null;

    private static string? FaultOf(CallRecord? call) => call is null ? null
        : HasNull(call.Metadata) ? "a list holds null"
        : Bad(call.Requests, call.SmallestRequest, call.LargestRequest, call.DeadlineNs) ? "impossible numbers of requests" : null;

    private static string? FaultOf(CellKey key) =>
        Bad(key.Size, key.Connections, key.Streams) || key.Connections == 0 || key.Streams == 0
            ? "impossible size, connections or streams"
            : key.VariesRate && LatencyObjective.Parse(key.Load, out var wrong) is null ? wrong : null;

    /// <param name="sum">The sum of all calls and times of the file so far, to which those of the round are added.</param>
    private static string? FaultOf(Measurement round, int cells, ref Int128 sum)
    {
        if (round.Cell < 0 || round.Cell >= cells)
            return Invariant($"there is no cell {round.Cell}");
        if (round.Number < 1 || round.Attempt < 0 || round.WindowNs <= 0)
            return "impossible number, attempt or window";
        if (HasNull(round.Watched) || HasNull(round.FailureMessages))
            return "a list holds null";
        if (Bad(round.WindowNs, round.Started, round.Ok, round.CutOff, round.NotSent, round.Completed, round.PayloadBytes,
            round.MethodsCompiled, round.FixedLoopNs, round.SmallestReply ?? 0, round.LargestReply ?? 0, round.ReceivedBytes ?? 0)
            || round.LatencySumNs is < 0 or > 1L << 62 || Bad(round.AskedRate)
            || Bad(round.Credited ?? 0) || Bad(round.MemoryStepNs) || Bad([.. round.Failed.Values]) || Bad([.. round.Buckets])
            || Bad([.. round.ThreadCalls]))
            return "a negative or impossibly large number";
        sum += (Int128)round.Started + round.WindowNs;
        var failed = round.Failed.Values.Aggregate((Int128)0, (sum, count) => sum + count);
        if (round.Started != round.Ok + failed + round.CutOff)
            return Invariant($"started {round.Started} is not ok {round.Ok} + failed {failed} + cut off {round.CutOff}");
        return FaultOf(round.Client) ?? FaultOf(round.Server) ?? FaultOf(round.Machine) ?? FaultOf(round.Connections)
            ?? round.Watched.Select(FaultOf).FirstOrDefault(fault => fault is not null) ?? FaultOf(round.Slices)
            ?? FaultOf(round.Blocked) ?? FaultOfHistograms(round, ref sum);
    }

    private static string? FaultOf(BlockedShares? blocked) => blocked is not null
        && (Bad(blocked.StreamWindow) || Bad(blocked.ConnectionWindow) || Bad(blocked.Socket)
            || Bad(blocked.Times, blocked.ResumeNs, blocked.AheadBytes)) ? "impossible times of blocked streams" : null;

    private static string? FaultOf(SliceReadings? slices)
    {
        if (slices is null)
            return null;
        var count = slices.Rates.Count;
        if (slices.Order.Count != count || (slices.ClientCpuNs ?? slices.Rates).Count != count
            || (slices.ServerCpuNs ?? slices.Rates).Count != count)
            return "the slices have lists of different lengths";
        return Bad(slices.PlannedSeconds) || slices.Order.Any(place => place < 0)
            || slices.Rates.Concat(slices.ClientCpuNs ?? []).Concat(slices.ServerCpuNs ?? []).Any(Bad)
                ? "impossible readings of a slice" : null;
    }

    private static string? FaultOf(ProcessUsage? usage) =>
        usage is not null && (Bad(usage.CpuUserNs, usage.CpuKernelNs, usage.WorkingSetBytes, usage.GcPauseNs, usage.AllocatedBytes,
            usage.ContextSwitches, usage.Calls, usage.CountedCalls, usage.VoluntarySwitches ?? 0)
            || usage.VoluntarySwitches > usage.ContextSwitches || FaultOf(usage.Loop)
            || Bad([.. usage.GcCollections])) ? "impossible usage of a process" : null;

    private static bool FaultOf(LoopUsage? usage) =>
        usage is not null && (Bad(usage.Receives, usage.EmptyReceives, usage.Sends, usage.Waits) || usage.EmptyReceives > usage.Receives);

    private static string? FaultOf(MachineUsage? usage) =>
        usage is not null && (HasNull(usage.Busiest) || Bad(usage.BusyNs, usage.SoftIrqNs, usage.StealNs, usage.CapacityNs,
            usage.OthersNs ?? 0, usage.KernelThreadsNs ?? 0) || Bad([.. usage.Busiest.Select(one => one.CpuNs)]))
            ? "impossible usage of the machine" : null;

    private static string? FaultOf(ConnectionStats truth) =>
        Bad(truth.Requested, truth.Opened, truth.Active, truth.Reopened, truth.ConnectRetries, truth.FewestCalls, truth.MostCalls,
            truth.ServerOpen ?? 0, truth.ServerCalls ?? 0, truth.ClientCalls ?? 0, truth.StreamsAllowed ?? 0, truth.OpenedInAll ?? 0)
            || Bad(truth.Fairness) || Bad([.. truth.ConnectTimesNs]) ? "impossible counts of connections" : null;

    private static string? FaultOf(WatchedEndpoint watched) =>
        new[] { watched.Active, watched.Idle, watched.Waiting, watched.Closing, watched.TimeWait }
            .Any(count => Bad(count.Mean) || Bad(count.Max)) || Bad(watched.Samples)
            ? "impossible states of connections" : null;

    private static string? FaultOfHistograms(Measurement round, ref Int128 sum)
    {
        try
        {
            foreach (var text in new[] { round.Latency, round.CutOffLatency, round.NotSentLatency, round.ServiceTime, round.SendLateness })
                sum += LatencyCounts.Decode(text).Count;
            return null;
        }
        catch (FormatException e)
        {
            return e.Message;
        }
    }

    private static bool Bad(params ReadOnlySpan<long> numbers)
    {
        foreach (var number in numbers)
        {
            if (number is < 0 or > Largest)
                return true;
        }
        return false;
    }

    private static bool Bad(double number) => !double.IsFinite(number) || number < 0 || number > Largest;

    private static bool HasNull<T>(IReadOnlyList<T> list) where T : class => list.Contains(null!);

    private static bool HasNull(IReadOnlyDictionary<string, string> values) => values.Values.Contains(null!);
}
