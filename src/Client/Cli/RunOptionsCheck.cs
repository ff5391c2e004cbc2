using System.CommandLine;
using System.Globalization;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Cli;

/// <summary>Reports the first contradiction between options, before anything is measured.</summary>
/// <param name="sweeping">True when the command adds arms after this check, so that one arm is enough here.</param>
internal sealed class RunOptionsCheck(RunOptions options, RunCommandOptions declared, Func<Option<string>, bool> isTyped, bool sweeping)
{
    // Each connection to a child starts a process. The start of this tool's server takes a second of CPU time.
    private const int MostChildren = 8;

    // The limit for the total bytes of all packets in flight.
    private const long MostBytesOut = 1L << 30;

    private int Servers => options.OwnServer ? options.Transports.Count : options.Addresses.Count;

    // Pull is measured once for each size of --chunk, every other mode once.
    private int Ways => options.Modes.Sum(mode => mode == CallMode.Pull ? options.Chunks.Count : 1);

    /// <summary>The end of a sentence that says why no cells take turns (<see cref="BenchPlan.InTurns"/>). Null when cells may.</summary>
    private string? InOneWindow =>
        (isTyped(declared.Calls) ? "-n" : options.Rate is not null ? "-R" : options.Watches.Count > 0 ? "--watch"
            : options.ConnectPerCall is [true] ? "--connect-per-call" : null) is { } option
            ? $"with {option} each cell is measured in one window: leave out one of the two"
            : options.Calls is not null ? $"{declared.Preset.Name} measures a number of packets: add -d 1s" : null;

    /// <exception cref="UsageException">Options contradict each other.</exception>
    public void Check()
    {
        IEnumerable<string>[] sentences = [OfCrank(), OfProtocols(), OfServers(), OfLoad(), OfFiles(), OfSizes()];
        if (sentences.SelectMany(some => some).FirstOrDefault() is { } sentence)
            throw new UsageException(sentence);
    }

    /// <summary>
    /// Returns the reason why an arm cannot be measured. Null when all arms can be measured. A sweep calls this method for the arms that
    /// the sweep adds.
    /// </summary>
    public static string? OfArms(RunOptions options)
    {
        if (options.OwnServer && options.Variants.Any(variant => variant is { EchoAlone: false, Knobs.Sockets: "bare" })
            && options.Protocols.Any(protocol => protocol != ProtocolTable.Echo))
        {
            return "--sockets bare serves only raw echoes: use bare with GrpcBench echo, or write dotnet or loop";
        }
        if (options.Variants.Any(variant => variant.Knobs.ClientSockets is not null)
            && options.Clients.Any(client => client != ProtocolTable.GrpcDotnet))
        {
            return "--client-sockets needs --client grpc-dotnet: the option changes nothing for the client wire";
        }
        // The bounds of SocketsHttpHandler.InitialHttp2StreamWindowSize.
        if (options.Clients.Contains(ProtocolTable.GrpcDotnet)
            && options.Variants.Any(variant => variant.Knobs.Http2Window is < 65_535 or > 16 << 20))
        {
            return "--http2-window: the client grpc-dotnet takes 65535 bytes to 16MiB, so write --client wire for other values";
        }
        foreach (var knob in Knob.All)
        {
            var set = options.Variants.Where(variant => knob.Read(variant.Knobs) is not null).ToList();
            if (set.Count == 0)
                continue;
            if (knob.IsOfHttp2 && options.Protocols.All(ProtocolTable.IsJsonRpc))
                return $"{knob.Option} changes nothing for JSON-RPC: add grpc to --protocol, or leave the setting out";
            if (!options.Kinds.Any(knob.IsOf))
                return $"{knob.Option} changes nothing over {string.Join(", ", options.Kinds.Distinct())}: measure tcp too, or leave out "
                    + knob.Option;
            var sockets = set.ConvertAll(variant => SocketsOf(variant, options));
            if (options.OwnServer && !sockets.Exists(one => (IsRawEcho(options) ? knob.EchoSockets : knob.Sockets).Contains(one)))
                return $"{knob.Option} changes nothing for the server's sockets '{sockets[0]}': write --sockets dotnet, or leave out "
                    + knob.Option;
        }
        return null;
    }

    private static string SocketsOf(Variant variant, RunOptions options) =>
        variant.Knobs.Sockets ?? (IsRawEcho(options) && EventLoop.IsSupported ? "loop" : "dotnet");

    /// <summary>True when the server only echoes, without Kestrel. TLS always needs Kestrel.</summary>
    private static bool IsRawEcho(RunOptions options) => options.Protocols is [ProtocolTable.Echo] && !options.Kinds.Contains("tls");

    private IEnumerable<string> OfCrank()
    {
        var cells = Servers * options.Sizes.Count * options.Topologies.Count * options.Clients.Count * options.ConnectPerCall.Count
            * options.Variants.Count * options.Protocols.Count;
        if (options.Output.Crank && options.Loads.Count > 0)
            yield return "--crank measures one cell, but --load, --my-rate and --find add cells: leave out these three, or write -R";
        if (options.Output.Crank && cells * Ways != 1)
            yield return BenchPlan.OneCell;
    }

    private IEnumerable<string> OfProtocols()
    {
        if (!options.Protocols.Any(ProtocolTable.IsJsonRpc) || !isTyped(declared.Protocol))
            yield break;
        if (!options.OwnServer)
            yield return "--protocol is for a server that this tool starts: leave out -U, or leave out --protocol";
        if (options.Clients.FirstOrDefault(client => client != ProtocolTable.Wire) is { } client)
            yield return $"--client {client} speaks gRPC alone: leave out --client, or leave out --protocol";
        if (options.Modes.FirstOrDefault(mode => mode != CallMode.Unary) is { } mode)
            yield return $"--mode {mode} is a kind of gRPC call: leave out --mode, or leave out --protocol";
        if (options.Call is not null)
            yield return "--call names a gRPC method: leave out --call, or leave out --protocol";
    }

    private IEnumerable<string> OfServers()
    {
        // Each connection over stdio has its own child process. With two child processes, the Windows build did not end under wine.
        if (OperatingSystem.IsWindows() && options.Kinds.Contains(Address.Child.Stdio)
            && options.Topologies.Any(topology => topology.Connections > 1))
            yield return "stdio is measured with one connection on Windows: write -c 1";
        if (options.Kinds.FirstOrDefault(Address.Child.IsKind) is { } child)
        {
            if (options.ConnectPerCall.Contains(true))
                yield return $"--connect-per-call would start a process for each call over {child}: leave out --connect-per-call";
            var hasKestrel = options.Protocols is not [ProtocolTable.Echo];
            var engines = options.Variants.Where(variant => !variant.EchoAlone).Select(variant => variant.Knobs.Sockets).ToList();
            if ((hasKestrel || !options.OwnServer || engines.Contains("dotnet"))
                && options.Topologies.Any(topology => topology.Connections > MostChildren))
                yield return $"{child} starts a process for each connection, and at most {MostChildren}: name the load, e.g. -c 1 -m 64";
            if (hasKestrel && engines.Find(one => one is not (null or "dotnet")) is { } sockets)
                yield return $"--sockets {sockets} does not apply to {child}: leave out one of the two";
            if (options.ServerPids is not null && options.Kinds.All(Address.Child.IsKind))
                yield return $"--server-pids is for a server that listens, but {child} starts a process for each connection: leave out "
                    + "--server-pids";
        }
        Option<string>[] ofTls = [declared.CaCert, declared.Cert, declared.Sni];
        if (!options.Kinds.Contains("tls") && Array.Find(ofTls, isTyped.Invoke) is { } idle)
            yield return $"{idle.Name} is for TLS, but no address has TLS: leave out {idle.Name}";
        if (options.OwnServer)
        {
            if (options.ServerPids is not null)
                yield return "--server-pids is for a server that this tool does not start: name the server with -U, or leave out "
                    + "--server-pids";
            yield break;
        }
        foreach (var (knob, _) in declared.Knobs.Where(one => one.Knob.Side == KnobSide.Server && isTyped(one.Option)))
        {
            yield return $"--{knob.Name} is a setting of the server, but with -U this tool does not start the server: "
                + "make this setting in your server, or leave out -U";
        }
        if (options.ServerCpus is not null)
            yield return "--server-cpus is for a server that this tool starts: with -U, start your server under taskset (Windows: "
                + "start /affinity)";
        if (isTyped(declared.Transports))
            yield return "--transports is for a server that this tool starts: leave out --transports, because -U names the addresses";
        if (options.AgainstItself && options.Addresses.GroupBy(address => address.Kind).All(kind => kind.Count() < 2))
            yield return "--aa with -U needs two addresses of one kind, e.g. -U http://localhost:5000 -U http://127.0.0.1:5002";
    }

    private IEnumerable<string> OfLoad()
    {
        if (OfArms(options) is { } refusal)
            yield return refusal;
        if (options is { Call: { } call, OwnServer: true } && declared.Offered.Contains(declared.Url)
            && !call.Method.StartsWith("ipcbench.", StringComparison.Ordinal))
        {
            yield return $"--call {call.Method} needs your server: name the server with -U, e.g. -U http://localhost:5000";
        }
        var arms = Servers * options.Clients.Count * Ways * options.ConnectPerCall.Count
            * options.Variants.Count * options.Protocols.Count;
        if (options.Call is not null && isTyped(declared.Mode))
            yield return "--mode is for this tool's own service, but --call names another method: leave out one of the two";
        if (isTyped(declared.Messages) && options.Call is null && !options.Modes.Any(CallMode.IsStream))
            yield return "--messages is for streams: add --mode ping-pong, push or pull";
        if (isTyped(declared.Chunk) && !options.Modes.Contains(CallMode.Pull))
            yield return "--chunk cuts the payloads of --mode pull: add --mode pull, or leave out --chunk";
        if (options.Modes.FirstOrDefault(CallMode.IsStream) is { } stream && options.ConnectPerCall.Contains(true))
        {
            yield return "--connect-per-call opens a connection for each call, but "
                + $"calls of --mode {stream} share a stream: leave out one of the two";
        }
        if (options.Modes.Contains(CallMode.Pull) && options.Poisson)
            yield return "--arrivals poisson does not fit --mode pull, where the server sends at equal intervals: leave out one of the two";
        if (options.RoundsAuto && arms < 2 && !options.AgainstItself && !sweeping)
            yield return "-r auto needs a comparison: name at least two servers or transports, or write a number of rounds";
        if (options.ConnectPerCall.Contains(true) && options.Topologies.Any(topology => topology.Streams > 1))
            yield return "-m puts several calls on a connection, but --connect-per-call opens one for each call: use -c without -m";
        if (options.Poisson && options.Rate is null && options.Loads.Count == 0)
            yield return "--arrivals needs an open loop: add -R 20k, --load 50% or --my-rate 5k";
        if (options.Rate is not null && options.Loads is [var load, ..])
            yield return $"-R and {load.Option} both set the rate: use only one of the two";
        foreach (var sentence in options.Loads.SelectMany(one => one.Refusals(options, isTyped(declared.Calls), declared.Preset.Name)))
            yield return sentence;
        if (isTyped(declared.Calls) && isTyped(declared.Duration))
            yield return "-n counts calls and -d sets a time: use only one of the two";
        if (options is { FixedSlice: true, Slice.Ticks: > 0 } && InOneWindow is { } reason)
            yield return $"--slice lets cells take turns, but {reason}";
    }

    private IEnumerable<string> OfFiles()
    {
        if (options.Output.File is { } output && FileKind.IsStandardOutput(output))
            yield return $"-o {output} is the same file as standard output or standard error: name another file, or use --no-save "
                + "--format json";
        if (options.Output.Reports.FirstOrDefault(report => FileKind.IsStandardOutput(report.Path)) is { } report)
            yield return $"-o {report.Path} is the same file as standard output or standard error: name another file, or use --format "
                + $"{report.Format}";
        if (options.Output is { Crank: true, Format: not null })
            yield return "--crank prints crank's block and no report: leave out --format";
        if (options.Output.Format is { } format && Reports.Find(format) is null)
            yield return $"--format '{format}' is unknown: write one of {string.Join(", ", Reports.All.Select(report => report.Format))}";
    }

    private IEnumerable<string> OfSizes()
    {
        if (options.Call is not null && isTyped(declared.Sizes))
            yield return "-s is the reply size of this tool's own method, but --call measures another method: leave out one of the two";
        if (options.Sizes.Any(size => size > 1L << 30))
            yield return "-s may be at most 1 GiB";
        if (!options.Protocols.Contains(ProtocolTable.Echo))
            yield break;
        // An echo sends back whole packets, so a packet cannot be empty, and all packets in flight must fit into memory.
        if (options.Sizes.Min() < 1)
            yield return "-s 0: a packet of an echo has at least one byte, so write -s 1 or more";
        var most = options.Topologies.Max(topology => (long)topology.Connections * topology.Streams);
        if (options.Sizes.Max() > MostBytesOut / most)
        {
            yield return string.Create(CultureInfo.InvariantCulture,
                $"-s {options.Sizes.Max()} with {most} packets in flight needs too much memory: all packets together may have 1 GiB");
        }
    }
}
