using System.Globalization;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Documents;

/// <summary>What a run measured, where and how, in a few lines.</summary>
internal static class RunHeader
{
    /// <summary>The caption of the table of watched endpoints.</summary>
    public const string Connections = "Connections by state, mean and maximum of the samples of the median round (a connection of a "
        + "Unix socket counts as idle once the server has read the request: the system shows no more)";

    public static IEnumerable<string> Lines(MeasuredRun run)
    {
        var (record, options, host) = (run.Record, run.Record.Options, run.Record.Host);
        var label = record.Label.Length > 0 ? record.Label + ", " : "";
        yield return $"{label}{record.Started.UtcDateTime.ToString("yyyy-MM-dd HH:mm", CultureInfo.InvariantCulture)} UTC, GrpcBench "
            + $"{Version(record.ToolVersion)}, seed {record.Seed.ToString(CultureInfo.InvariantCulture)}";
        yield return $"{Rounds(run)} of {Length(options)} after {Quantity.Seconds(options.WarmupNs)} of warm-up{JitWarmup(options)}, "
            + $"{Quantity.Many(options.Threads, "thread")}, {Loads(run)}";
        if (record.Call is { } call)
            yield return Calls(run, call);
        yield return Machine(host);
        foreach (var server in record.Servers)
            yield return "server " + List($"{server.Stack} {server.StackVersion}".Trim(), server.Runtime,
                server.GcMode.Length > 0 ? server.GcMode + " GC" : "");
        foreach (var process in record.ServerProcesses)
            yield return ServerCpu(record, process);
    }

    /// <summary>Says how verdicts are made: confidence, families of comparisons, and the difference that does not matter.</summary>
    public static string Method(MeasuredRun run)
    {
        if (BuildComparison.From(run) is { Sides: var sides })
            return ComparisonTable.Method([sides]);
        var options = run.Record.Options;
        var before = options.Looks.SkipLast(1).Select(look => look.ToString(CultureInfo.InvariantCulture)).ToList();
        var resumed = before.Count > 0 ? $" (rounds were added after {And([.. before])})" : "";
        var kind = options.IsLookedAt()
            ? $"intervals that hold at every look (t-mixture confidence sequence{resumed})" : "intervals by sign flips of rounds (max-T)";
        string[] families =
        [
            .. new[] { (Claims: ClaimFamily.Primary(run).Claims, Name: "comparisons of a Unix socket with TCP"),
                (Claims: ClaimFamily.Others(run).Claims,
                    Name: ClaimFamily.Primary(run).Claims > 0 ? "other comparisons" : "comparisons of this run") }
                .Where(family => family.Claims > 0).Select(family => Invariant($"the {family.Claims} {family.Name}")),
        ];
        var together = families.Length == 0 ? ""
            : $"; the intervals are simultaneous, at {VerdictText.Confidence(1 - Joint.Alpha)}, for {string.Join(", and for ", families)}";
        var processes = options.FreshServers ? "each round has a server process of its own"
            : "all rounds share one start of the server, so these rounds do not show how another start would differ";
        var pairs = run.Record.Rounds.Any(round => round.Slices is not null) ? "pairs of slices of the same round"
            : "pairs of arms in the same round";
        return $"Ratios are Hodges–Lehmann estimates over {pairs} with {kind}{together}; differences below "
            + $"{Quantity.Percent(options.Delta)} do not matter; {processes}.";
    }

    /// <summary>Says which process's CPU time counts as the server's, or why no process is known.</summary>
    internal static string ServerCpu(RunRecord run, ServerProcess process)
    {
        var where = process.Addresses.Count == run.Cells.Select(cell => cell.Address).Distinct().Count()
            ? "" : $" at {And([.. process.Addresses])}";
        return process.Pid is { } pid
            ? Invariant($"server CPU{where}: {(process.Name.Length > 0 ? process.Name + ", " : "")}process {pid}, with its descendants")
            : $"server CPU{where} is not known from outside: {process.Reason}";
    }

    /// <summary>Describes the method, its requests and its replies.</summary>
    private static string Calls(MeasuredRun run, CallRecord call)
    {
        var requests = call.Requests == 1 ? $"a request of {Span(call.SmallestRequest, call.LargestRequest)}"
            : Invariant($"{call.Requests} requests ({Span(call.SmallestRequest, call.LargestRequest)}) in turn");
        var replies = run.Cells.SelectMany(cell => cell.Rounds).Select(round => round.Record).Where(round => round.LargestReply is not null)
            .ToList();
        var came = replies.Count == 0 ? ""
            : $", replies of {Span(replies.Min(round => round.SmallestReply!.Value), replies.Max(round => round.LargestReply!.Value))}";
        var deadline = call.DeadlineNs == 0 ? "" : $", deadline {Quantity.Duration(call.DeadlineNs)}";
        return $"{call.Method} with {requests} ({call.Corpus[..Math.Min(12, call.Corpus.Length)]}){came}{deadline}";
    }

    private static string Span(long least, long most) =>
        least == most ? Quantity.Size(most) : $"{Quantity.Size(least)} to {Quantity.Size(most)}";

    private static string Cpus(string placement) => placement == "free" ? "all CPUs"
        : placement.All(char.IsAsciiDigit) ? "CPU " + placement : "CPUs " + placement;

    internal static string Machine(HostInfo host)
    {
        string[] parts =
        [
            Join(host.Os, host.Kernel, host.Architecture),
            host.CpuModel,
            host.LogicalCpus > 0 ? Invariant($"{host.LogicalCpus} CPUs") : "",
            host.Virtualization.Length > 0 ? $"in {host.Virtualization}" : "",
            host.CpuQuota > 0 ? Invariant($"quota {host.CpuQuota:0.##} CPUs") : "",
            host.Runtime,
            host.ClientCpus == "free" && host.ServerCpus == "free" ? "placement free"
                : $"client on {Cpus(host.ClientCpus)}, server on {Cpus(host.ServerCpus)}",
        ];
        return string.Join(", ", parts.Where(part => part.Length > 0));
    }

    private static string Rounds(MeasuredRun run)
    {
        var (least, most) = run.Cells.Count == 0 ? (0, 0) : (run.CommonRounds, run.Cells.Max(cell => cell.Rounds.Count));
        var range = least == most ? "" : Invariant($"{least} to ");
        var spoiled = run.Cells.SelectMany(cell => cell.Rounds).Count(round => round.Record.Spoiled.Length > 0);
        string[] load = [run.Repeated > 0 ? Invariant($"{run.Repeated} of them measured again because they were disturbed") : "",
            spoiled > 0 ? $"{Quantity.Many(spoiled, "measurement")} still disturbed" : ""];
        var repeated = string.Join(", ", load.Where(part => part.Length > 0)) is { Length: > 0 } said ? $" ({said})" : "";
        return range + Quantity.Many(most, "round") + repeated;
    }

    private static string Loads(MeasuredRun run)
    {
        var loads = run.Record.Cells.Select(cell => (cell.Key.Connections, cell.Key.Streams)).Distinct().Order().ToList();
        return loads.Exists(load => load.Streams != 1)
            ? $"{And([.. loads.Select(load => Invariant($"{load.Connections} × {load.Streams}"))])} connections × streams"
            : $"{And([.. loads.Select(load => Invariant($"{load.Connections}"))])} {(loads is [(1, _)] ? "connection" : "connections")}";
    }

    private static string JitWarmup(RunOptionsRecord options) =>
        options.RehearsalNs == 0 ? ""
            : $" (and {Quantity.Seconds(options.RehearsalNs)} for each server before {(options.FreshServers ? "its" : "the first")} round)";

    private static string Length(RunOptionsRecord options) => options.Calls > 0 ? Quantity.Count(options.Calls) + " calls"
        : Quantity.Seconds(options.DurationNs) + (options.SliceNs > 0 ? $" in slices of {Quantity.Seconds(options.SliceNs)}" : "");

    private static string Join(params string[] parts) => string.Join(' ', parts.Where(part => part.Length > 0));

    /// <summary>Returns the parts that are not empty, with commas between them.</summary>
    internal static string List(params string[] parts) => string.Join(", ", parts.Where(part => part.Length > 0));
}

/// <summary>The machine and the settings of a run, by name.</summary>
internal static class EnvironmentList
{
    public static IEnumerable<(string Name, string Value)> Make(RunRecord run)
    {
        var (host, options) = (run.Host, run.Options);
        yield return ("machine", RunHeader.Machine(host));
        yield return ("cores", host.PhysicalCores > 0
            ? TextBuilding.Invariant($"{host.PhysicalCores} in {Quantity.Many(host.Sockets, "socket")}") : "");
        yield return ("memory", host.MemoryBytes > 0 ? TextBuilding.Invariant($"{host.MemoryBytes / (double)(1L << 30):0.#} GiB") : "");
        yield return ("governor", host.Governor);
        yield return ("clock source", host.ClockSource);
        yield return ("client", host.GcMode.Length > 0 ? $"GC {host.GcMode}, {host.Tiering}" : "");
        yield return ("limits", host.OpenFileLimit > 0
            ? TextBuilding.Invariant($"at most {host.OpenFileLimit} open files, accept queue of {host.SoMaxConn}") : "");
        foreach (var server in run.Servers)
        {
            yield return ("server", RunHeader.List($"{server.Stack} {server.StackVersion} ({Version(server.Version)})", server.Runtime,
                server.GcMode.Length > 0 ? "GC " + server.GcMode : "", "on " + string.Join(", ", server.Addresses)));
            yield return ("server settings", Join(server.Settings));
        }
        yield return ("knobs", Join(options.Knobs));
        yield return ("runtime variables", Join(host.RuntimeVariables));
        yield return ("system settings", Join(host.Settings));
        yield return ("seed", run.Seed.ToString(CultureInfo.InvariantCulture));
        yield return ("tool", run.ToolVersion);
    }

    private static string Join(IReadOnlyDictionary<string, string> entries) =>
        string.Join(", ", entries.Select(entry => $"{entry.Key} = {entry.Value}"));
}
