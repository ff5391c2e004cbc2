using System.Globalization;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Client.Protocols.Grpc;
using IpcBench.Client.Protocols.GrpcDotnet;

namespace IpcBench.Client.Run;

/// <summary>Makes the record of a run before its first round.</summary>
internal static class RunRecords
{
    public static RunRecord Begin(BenchPlan plan, IReadOnlyList<string> commandLine, ServerSet servers, HostInfo host)
    {
        var options = plan.Options;
        return new()
        {
            ToolVersion = ToolVersion.Text,
            Started = RunClock.Now,
            Label = options.Output.Label,
            Scenario = options.Scenario,
            CommandLine = Redaction.Without(commandLine),
            Seed = options.Seed,
            Options = Options(options, plan),
            Call = servers.Targets is [{ Call: { } call }, ..] ? Call(call) : null,
            Host = host with { ServerCpus = options.ServerCpus?.ToString() ?? "free" },
            Servers = servers.Infos,
            ServerProcesses = ServerOwner.Records(servers.Owners),
            Cells = [.. plan.Cells.Select(cell => cell.Record)],
        };
    }

    private static RunOptionsRecord Options(RunOptions options, BenchPlan plan) => new()
    {
        Rounds = options.RoundsAuto ? 0 : options.Rounds,
        RoundsAuto = options.RoundsAuto,
        DurationNs = options.Calls is null ? (long)options.Duration.TotalNanoseconds : 0,
        SliceNs = plan.HasSlices ? (long)options.Slice.TotalNanoseconds : 0,
        DurationFixed = options.FixedDuration && options.Calls is null,
        Calls = options.Calls ?? 0,
        WarmupNs = (long)options.Warmup.TotalNanoseconds,
        FreshServers = options.FreshServers,
        RehearsalNs = (long)ServerWarmup.OfEachServer(options).TotalNanoseconds,
        TimeoutNs = (long)options.Timeout.TotalNanoseconds,
        Threads = options.Threads,
        Reference = ReferenceArm.Choose(options, plan),
        Delta = options.Delta,
        Knobs = Knobs(options),
    };

    private static CallRecord Call(GrpcCall call) => new()
    {
        Method = call.Method,
        Corpus = call.Corpus,
        Requests = call.Messages.Count,
        SmallestRequest = call.Messages.Min(message => message.Length),
        LargestRequest = call.Messages.Max(message => message.Length),
        DeadlineNs = (long)(call.Deadline?.TotalNanoseconds ?? 0),
        Metadata = [.. call.Metadata.Select(entry => entry.Name)],
    };

    private static SortedDictionary<string, string> Knobs(RunOptions options)
    {
        var knobs = options.Variants[0].Knobs;
        var texts = new SortedDictionary<string, string>(StringComparer.Ordinal);
        foreach (var knob in Knob.All)
            texts[knob.Name] = knob.Read(knobs) ?? "default";
        texts["arrivals"] = options.Poisson ? "poisson" : "constant";
        texts["rate"] = options.Rate?.ToString("0.##########", CultureInfo.InvariantCulture) ?? "max";
        if (options.Clients.Contains(ProtocolTable.GrpcDotnet))
            texts["grpc-dotnet client"] = "Grpc.Net.Client " + GrpcDotnetConnection.LibraryVersion;
        return texts;
    }
}
