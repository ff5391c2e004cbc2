using System.CommandLine;
using System.Globalization;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;

namespace IpcBench.Client.Cli;

/// <summary>What cannot be true of options together, found without measuring; the first one is told.</summary>
/// <param name="options">As read.</param>
/// <param name="declared">The options as declared.</param>
/// <param name="isTyped">Whether one was on the command line.</param>
/// <param name="sweeping">There will be more arms than the options say.</param>
internal sealed class RunOptionsCheck(RunOptions options, RunCommandOptions declared, Func<Option<string>, bool> isTyped, bool sweeping)
{
    // A queue takes many times as long as its calls wait to come and go.
    private const double WindowsOfObjective = 100;

    // All packets that may be out at a time, in both directions' buffers.
    private const long MostBytesOut = 1L << 30;

    private int Servers => options.OwnServer ? options.Transports.Count : options.Addresses.Count;

    // Pull is measured once for each way of cutting its payloads (--chunk), every other mode once.
    private int Ways => options.Modes.Sum(mode => mode == CallMode.Pull ? options.Chunks.Count : 1);

    /// <exception cref="UsageException">They contradict each other.</exception>
    public void Check()
    {
        if (OfCrank().Concat(OfServers()).Concat(OfLoad()).Concat(OfFiles()).Concat(OfSizes()).FirstOrDefault() is { } sentence)
            throw new UsageException(sentence);
    }

    /// <summary>Why the arms cannot be, which a sweep makes later than the rest; null when they can.</summary>
    public static string? OfArms(RunOptions options) =>
        options.Variants.Any(variant => variant.Knobs.ClientSockets is not null)
        && options.Clients.Any(client => client != ProtocolTable.GrpcDotnet)
            ? "--client-sockets is for the client grpc-dotnet, and wire has an event loop already where there is one: "
                + "write --client grpc-dotnet"
            : null;

    private IEnumerable<string> OfCrank()
    {
        var cells = Servers * options.Sizes.Count * options.Topologies.Count * options.Clients.Count * options.ConnectPerCall.Count
            * options.Variants.Count;
        if (options.Output.Crank && options.Loads.Count > 0)
            yield return "--crank measures one cell, and --load, --my-rate and --find add more: leave them out, or write -R";
        if (options.Output.Crank && cells * Ways != 1)
            yield return "--crank measures one cell: name one size with -s (or --call) and one server with -U";
    }

    private IEnumerable<string> OfServers()
    {
        if (options.OwnServer)
        {
            if (options.ServerPids is not null)
                yield return "--server-pids is for a server that is not ours: whose CPU time the one this tool starts has is known";
            if (options.Variants.Any(variant => variant is { EchoAlone: false, Knobs.Sockets: "bare" })
                && options.Protocols.Any(protocol => protocol != ProtocolTable.Echo))
            {
                yield return "--sockets bare serves raw echoes alone: use it with GrpcBench echo, or write dotnet or loop";
            }
            yield break;
        }
        foreach (var (knob, _) in declared.Knobs.Where(one => one.Knob.Side == KnobSide.Server && isTyped(one.Option)))
        {
            yield return $"--{knob.Name} is a setting of the server, and with -U the server is not ours: "
                + "give it to that server, or leave out -U";
        }
        if (options.ServerCpus is not null)
            yield return "--server-cpus moves the server this tool starts; with -U use taskset or start /affinity on yours";
        if (isTyped(declared.Transports))
            yield return "--transports is for the server this tool starts; with -U the addresses decide";
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
            yield return $"--call {call.Method} is a method of a server of yours: name that server with -U, e.g. -U http://localhost:5000";
        }
        var arms = Servers * options.Clients.Count * Ways * options.ConnectPerCall.Count
            * options.Variants.Count;
        if (options.Call is not null && isTyped(declared.Mode))
            yield return "--mode is for this tool's own service, and --call names a method: leave out one of them";
        if (isTyped(declared.Messages) && options.Call is null && !options.Modes.Any(CallMode.IsStream))
            yield return "--messages is for streams: add --mode ping-pong, push or pull";
        if (isTyped(declared.Chunk) && !options.Modes.Contains(CallMode.Pull))
            yield return "--chunk cuts what --mode pull receives: add that mode, or leave --chunk out";
        if (options.Modes.FirstOrDefault(CallMode.IsStream) is { } stream && options.ConnectPerCall.Contains(true))
        {
            yield return "--connect-per-call gives each call a connection, and "
                + $"--mode {stream} has calls share a stream: leave out one";
        }
        if (options.Modes.Contains(CallMode.Pull) && options.Poisson)
            yield return "--arrivals poisson: in --mode pull the server sends, and evenly: leave out one of them";
        if (options.RoundsAuto && arms < 2 && !options.AgainstItself && !sweeping)
            yield return "-r auto goes on until a comparison is decided: name at least two servers or transports, or a number of rounds";
        if (options.ConnectPerCall.Contains(true) && options.Topologies.Any(topology => topology.Streams > 1))
            yield return "-m lets calls share a connection and --connect-per-call gives each its own: use -c alone";
        if (options.Poisson && options.Rate is null && options.Loads.Count == 0)
            yield return "--arrivals shapes an open loop: add -R 20k, --load 50% or --my-rate 5k";
        if (options.Rate is not null && options.Loads.Count > 0)
        {
            yield return $"-R and {(options.Objective is not null ? "--find" : isTyped(declared.MyRate) ? "--my-rate" : "--load")} "
                + "both set the rate: give one of them";
        }
        if (options.Objective is not null && options.Calls is not null)
        {
            yield return isTyped(declared.Calls) ? "--find measures windows of a time, and -n counts calls: leave out -n"
                : $"--find measures windows of a time, and {declared.Preset.Name} counts packets: add -d 1s";
        }
        if (options.Objective is not null && options.Modes.Contains(CallMode.Pull))
            yield return "--find sends at random times, and in --mode pull the server sends, and evenly: leave out one of them";
        if (options.Objective is { } objective && objective.LongestNs * WindowsOfObjective > options.Duration.TotalNanoseconds)
        {
            yield return string.Create(CultureInfo.InvariantCulture,
                $"--find {objective.Text} needs windows of a hundred times that, or queues would not show: "
                    + $"add -d {Math.Ceiling(objective.LongestNs * WindowsOfObjective / 1e6):0}ms or more");
        }
        if (isTyped(declared.Calls) && isTyped(declared.Duration))
            yield return "-n counts calls and -d sets a time: give one of them";
    }

    private IEnumerable<string> OfFiles()
    {
        if (options.Output.File is { } output && WholeFile.IsStandardOutput(output))
            yield return $"-o {output} is where standard output or error goes: name another file, or use --no-save --format json";
        if (options.Output.Reports.FirstOrDefault(report => WholeFile.IsStandardOutput(report.Path)) is { } report)
            yield return $"-o {report.Path} is where standard output or error goes: name another file, or use --format {report.Format}";
        if (options.Output.Format is { } format && Reports.Find(format) is null)
            yield return $"--format '{format}' is none of {string.Join(", ", Reports.All.Select(report => report.Format))}";
    }

    private IEnumerable<string> OfSizes()
    {
        if (options.Call is not null && isTyped(declared.Sizes))
            yield return "-s is the size of the replies of this tool's own method, and --call measures another: leave out one of them";
        if (options.Sizes.Any(size => size > 1L << 30))
            yield return "-s is limited to 1 GiB: one gRPC message is one length-prefixed buffer";
        if (!options.Protocols.Contains(ProtocolTable.Echo))
            yield break;
        // Packets come back: at least a byte each, and no more at a time than fit the memory.
        if (options.Sizes.Min() < 1)
            yield return "-s 0 has nothing to send back: a packet has at least one byte";
        var most = options.Topologies.Max(topology => (long)topology.Connections * topology.Streams);
        if (options.Sizes.Max() > MostBytesOut / most)
        {
            yield return string.Create(CultureInfo.InvariantCulture,
                $"-s {options.Sizes.Max()} with {most} packets out at a time would fill the memory: all of them together may have 1 GiB");
        }
    }
}
