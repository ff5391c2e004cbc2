using IpcBench.Analysis.Metrics;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Documents;

/// <summary>The title of a page or picture: <c>Unix socket and named pipe against TCP – linux-2cpu</c>.</summary>
internal static class PageTitle
{
    public static string For(ReportModel model)
    {
        var labels = model.Files.Select(file => file.Run.Record.Label).Where(label => label.Length > 0).Distinct().ToList();
        return labels.Count == 0 ? What(model) : $"{What(model)} – {And(labels)}";
    }

    /// <summary>Names machine and date, for a picture outside a page.</summary>
    public static string Below(NamedRun file)
    {
        var (run, host) = (file.Run.Record, file.Run.Record.Host);
        string[] parts = [host.CpuModel, host.LogicalCpus > 0 ? Invariant($"{host.LogicalCpus} CPUs") : "", host.Os, host.Runtime,
            Invariant($"{run.Started.UtcDateTime:yyyy-MM-dd}"), $"GrpcBench {Version(run.ToolVersion)}"];
        return string.Join(", ", parts.Where(part => part.Length > 0));
    }

    private static string What(ReportModel model)
    {
        var keys = model.Files.SelectMany(file => file.Run.Record.Cells).Select(cell => cell.Key).ToList();
        var reference = model.Files[0].Run.Record.Options.Reference;
        var transports = keys.Select(key => key.Transport).Distinct().ToList();
        var hasNamedPipes = model.Files.All(file => file.Run.HasNamedPipes);
        string NameOf(string transport) => transport switch
        {
            "tcp" => "TCP",
            "tls" => "TLS",
            "unix" => "Unix socket",
            "pipe" => hasNamedPipes ? "named pipe" : ".NET's pipe (a Unix socket)",
            _ => transport,
        };
        var names = And(transports.ConvertAll(NameOf));
        var protocols = keys.Select(key => key.Protocol).Distinct().ToList();
        if (model.Files.All(file => file.Run.IsOfBuilds))
            return $"Head against base over {names}";
        if (protocols.Exists(one => one.StartsWith("jsonrpc", StringComparison.Ordinal)))
            return $"{And([.. protocols.Select(ProtocolName).Distinct()])} over {names}";
        if (protocols.Count > 1)
            return $"What a gRPC call is made of over {names}";
        var prefix = protocols is ["echo"] ? "Round trips of bytes alone: " : "";
        // A setting that all arms have does not distinguish them.
        var settings = keys.ConvertAll(key => key.Setting.Split(' '));
        if (settings.SelectMany(parts => parts).FirstOrDefault(part => part.Contains('=', StringComparison.Ordinal)
            && settings.Exists(parts => !parts.Contains(part))) is { } setting)
            return $"{prefix}{setting.Split('=')[0]} over {names}";
        if (transports.Count < 2)
            return keys.Count == 0 ? "Local transports" : protocols is ["http1"] ? $"HTTP/1.1 over {names}" : prefix + names;
        var others = transports.Where(transport => transport != reference).ToList();
        return others.Count == transports.Count ? prefix + names : $"{prefix}{And(others.ConvertAll(NameOf))} against {NameOf(reference)}";
    }

    private static string ProtocolName(string protocol) => protocol switch
    {
        "grpc" => "gRPC",
        "http1" => "HTTP/1.1",
        _ => "JSON-RPC",
    };
}
