using System.CommandLine;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Cli;

/// <summary>
/// Turns the command line into <see cref="RunOptions"/>. An option that was not given has the default of the preset.
/// <see cref="RunOptionsCheck"/> checks the result.
/// </summary>
/// <param name="declared">All options. An option that the command does not offer keeps its default.</param>
/// <param name="sweeping">True when the command adds arms after it has read the options.</param>
/// <param name="given">The servers, if the command takes them as arguments. Null means the servers of <c>-U</c>.</param>
/// <param name="service">The options about the user's service. Null when the command has none.</param>
internal sealed class RunOptionsReader(
    RunCommandOptions declared, ParseResult typed, bool sweeping = false, IReadOnlyList<Address>? given = null,
    ServiceOptions? service = null)
{
    // The most calls that this tool's server takes on a connection (--max-streams).
    private const int MostStreams = 65_536;

    private readonly Preset preset = declared.Preset;

    /// <exception cref="UsageException">An option is invalid.</exception>
    public RunOptions Read()
    {
        var options = InShapes(AsTyped());
        new RunOptionsCheck(options, declared, option => Get(option) is not null, sweeping).Check();
        return options;
    }

    /// <summary>
    /// Adds the shapes of <c>--shape</c>. Without this option, the preset's shapes are the default for unary gRPC calls at full load for a
    /// fixed time, with one variant, no children, neither <c>-c</c> nor <c>-m</c>, and either several servers or transports or a user's
    /// method. <c>sweep</c> and <c>--crank</c> have no default. A default shape that names a client is left out if <c>--client</c> is
    /// given, or if only one server or transport is measured. A run without shapes has the load of <c>-c</c> and <c>-m</c>.
    /// </summary>
    private RunOptions InShapes(RunOptions options)
    {
        var isTyped = Get(declared.Connections) is not null || Get(declared.Streams) is not null;
        var names = Get(declared.Shape) is { } text ? Parsers.List(text, "--shape", ShapeOf) : null;
        if (names is not null && isTyped)
            throw new UsageException("--shape sets the number of connections and calls, as -c and -m do: leave out --shape, or -c and -m "
                + "(to give Grpc.Net.Client two connections: --client grpc-dotnet -c 2)");
        var several = (options.OwnServer ? options.Transports.Count : options.Addresses.Count) > 1;
        var takesShapes = options is { Calls: null, Rate: null, Loads: [], Variants: [_], Protocols: [ProtocolTable.Grpc] }
            && options.Modes is [CallMode.Unary] && options.ConnectPerCall is [false]
            && (several || options.Call is not null);
        var byDefault = !takesShapes || isTyped || sweeping || options.Output.Crank || options.HasChildren ? []
            : preset.Shapes.Select(one => one.Shape).Where(shape => several || shape.Client is null);
        var clientIsTyped = Get(declared.Client) is not null;
        var shapes = (names ?? byDefault.Where(shape => shape.Client is null || !clientIsTyped)).ToList();
        if (shapes.Count == 0)
            return options;
        CellSet SetOf(Shape shape) => new(shape.Topology, SizesOf(shape, options),
            shape.Client is { } client ? [ClientName(client, "--shape")] : options.Clients,
            shape.HasPipe || !options.OwnServer || Get(declared.Transports) is not null);
        CellSet[] sets = [.. shapes.Select(SetOf)];
        Option<string>[] longer =
        [
            declared.MaxTime, declared.Rounds, declared.Duration, declared.Warmup, declared.Sizes, declared.Transports,
        ];
        var isBounded = typed.GetValue(declared.Quick) && names is null && longer.All(option => Get(option) is null);
        var topologies = sets.Select(cells => cells.Topology).Distinct().ToList();
        return options with
        {
            Shapes = sets,
            Topologies = topologies,
            Sizes = [.. sets.SelectMany(cells => cells.Sizes).Distinct().Order()],
            Clients = [.. sets.SelectMany(cells => cells.Clients).Distinct()],
            Threads = Threads(topologies.Max(topology => topology.Connections)),
            Duration = Get(declared.Duration) is null
                ? Parsers.Positive(preset.ShapeDuration.Choose(options.Addresses.Count != 1, typed.GetValue(declared.Quick)), "-d")
                : options.Duration,
            Warmup = Get(declared.Warmup) is null && options.Addresses.Count != 1
                ? Parsers.Duration(preset.ShapeWarmup.Own, "--warmup") : options.Warmup,
            Rounds = Get(declared.Rounds) is null && options.Addresses.Count != 1
                ? Parsers.Integer(preset.ShapeRounds.Choose(own: true, typed.GetValue(declared.Quick)), "-r", 1, 1_000_000)
                : options.Rounds,
            MaxTime = isBounded ? Parsers.Positive(preset.QuickLimit.Own, "--max-time") : options.MaxTime,
        };
    }

    private IReadOnlyList<long> SizesOf(Shape shape, RunOptions options) =>
        options.Call is not null || Get(declared.Sizes) is not null ? options.Sizes
            : preset.Shapes.Where(one => one.Shape == shape).Select(one => one.Sizes).FirstOrDefault() is { } sizes
                ? Parsers.List(sizes.Choose(own: true, quick: typed.GetValue(declared.Quick)), "-s", Parsers.Count) : options.Sizes;

    private static Shape ShapeOf(string text, string what) => Shape.All.FirstOrDefault(shape => shape.Name == text)
        ?? throw new UsageException(
            $"{what}: there is no shape '{text}': the shapes are {string.Join(", ", Shape.All.Select(shape => shape.Name))}");

    private RunOptions AsTyped()
    {
        var addresses = given ?? Addresses();
        string Or(Option<string> option, Default standard) =>
            Get(option) ?? standard.Choose(own: addresses.Count != 1, quick: typed.GetValue(declared.Quick));

        var transports = Parsers.List(Or(declared.Transports, preset.Transports), "--transports", Transport);
        var protocols = Get(declared.Protocol) is { } list
            ? Parsers.List(list, "--protocol", (name, what) => Parsers.OneOf(name, what, [.. ProtocolTable.OfMain])) : preset.Protocols;
        // Programs that start a child, or speak JSON-RPC, usually have one connection.
        var isAlone = (addresses.Count == 0 ? transports.Any(Address.Child.IsKind) : addresses.Any(address => address is Address.Child))
            || protocols.Any(ProtocolTable.IsJsonRpc);
        var topologies = preset.Topologies ?? Topology.All(
            Integers(Get(declared.Connections) ?? (isAlone ? "1" : Or(declared.Connections, preset.Connections)), "-c", 1_000_000),
            Integers(Or(declared.Streams, preset.Streams), "-m", MostStreams));
        var calls = Calls(Or);
        var fewer = calls < preset.Fewer.Calls && !(preset.Warmup.Quick is not null && typed.GetValue(declared.Quick));
        var rounds = Get(declared.Rounds) is null && typed.GetValue(declared.Crank) ? "1" : Or(declared.Rounds, preset.Rounds);
        var call = service?.Read(typed);
        return new RunOptions
        {
            Scenario = preset.Name,
            Call = call,
            Protocols = protocols,
            Addresses = addresses,
            Transports = transports,
            Sizes = call is null ? Parsers.List(Or(declared.Sizes, preset.Sizes), "-s", Parsers.Count) : [0],
            Topologies = topologies,
            Threads = Threads(topologies.Max(topology => topology.Connections)),
            Duration = Parsers.Positive(Or(declared.Duration, preset.Duration), "-d"),
            FixedDuration = Get(declared.Duration) is not null,
            Slice = Parsers.Duration(Or(declared.Slice, preset.Slice), "--slice"),
            FixedSlice = Get(declared.Slice) is not null,
            Calls = calls,
            ConnectPerCall = PerCall(),
            Warmup = Parsers.Duration(fewer ? Get(declared.Warmup) ?? preset.Fewer.Warmup : Or(declared.Warmup, preset.Warmup), "--warmup"),
            Timeout = Parsers.Positive(Or(declared.Timeout, preset.Timeout), "--timeout"),
            FreshServers = preset.FreshServers && addresses.Count == 0 && calls is null,
            RoundsAuto = rounds == "auto",
            AddsRounds = Get(declared.Rounds) is null && !typed.GetValue(declared.Crank),
            Rounds = rounds == "auto" ? RunOptions.MostAutoRounds : Parsers.Integer(rounds, "-r", 1, 1_000_000, ", or auto"),
            MaxTime = Get(declared.MaxTime) is null && rounds != "auto"
                ? TimeSpan.MaxValue : Parsers.Positive(Or(declared.MaxTime, preset.MaxTime), "--max-time"),
            Delta = Parsers.Percent(Or(declared.Delta, preset.Delta), "--delta"),
            Seed = Get(declared.Seed) is { } seed ? Parsers.Count(seed, "--seed") : Random.Shared.Next(1, int.MaxValue),
            Clients = Parsers.List(Or(declared.Client, preset.Client), "--client", ClientName),
            Modes = Get(declared.Mode) is { } modes
                ? Parsers.List(modes, "--mode", (mode, what) => Parsers.OneOf(mode, what, [.. CallMode.All])) : [CallMode.Unary],
            Messages = Get(declared.Messages) is { } messages ? AtLeastOne(messages, "--messages") : 0,
            Chunks = Get(declared.Chunk) is { } chunks ? Parsers.List(chunks, "--chunk", Parsers.Count) : [0],
            Reference = Get(declared.Reference),
            Rate = Get(declared.Rate) is { } rate ? Parsers.Rate(rate, "-R") : null,
            Poisson = Get(declared.Arrivals) is { } arrivals && Parsers.OneOf(arrivals, "--arrivals", "constant", "poisson") == "poisson",
            Loads = [.. declared.Loads.SelectMany(one => Get(one.Option) is { } text ? one.Load.Read(text) : [])],
            AgainstItself = typed.GetValue(declared.AgainstItself),
            Variants = KnobOptions.Read(declared, typed, addresses.Count > 0 ? [] : transports),
            Connector = TlsOptions.Read(declared, typed),
            ClientCpus = Cpus(declared.ClientCpus, "--client-cpus"),
            ServerCpus = Cpus(declared.ServerCpus, "--server-cpus"),
            Watches = Watches(),
            ServerPids = Get(declared.ServerPids) switch
            {
                null => null,
                "none" => [],
                var pids => Parsers.List(pids, "--server-pids", ProcessId),
            },
            Profile = typed.GetValue(declared.Profile),
            Output = Output(),
        };
    }

    private OutputOptions Output()
    {
        var save = !typed.GetValue(declared.NoSave);
        var (file, reports) = ReportEnding.Divide(typed.GetValue(declared.Output) ?? []);
        return save || file is null
            ? new OutputOptions
            {
                File = file,
                Reports = reports,
                Label = Get(declared.Label) ?? "",
                Save = save && !(typed.GetValue(declared.Crank) && file is null),
                Format = Get(declared.Format),
                Crank = typed.GetValue(declared.Crank),
                Verbose = typed.GetValue(declared.Verbose),
            }
            : throw new UsageException("-o names a results file, but --no-save writes none: leave out one of the two");
    }

    private IReadOnlyList<Address> Addresses()
    {
        var addresses = (typed.GetValue(declared.Url) ?? []).Select(ServerAddress).ToList();
        return addresses.Distinct().Count() == addresses.Count ? addresses : throw new UsageException("-U names the same server twice");
    }

    private Address ServerAddress(string text)
    {
        if (preset.OffersChildren && Address.Child.CommandIn(text) is { } command)
        {
            Parsers.Words(command, "-U stdio:"); // checks the command
            return new Address.Child(Address.Child.Stdio, command);
        }
        return Parsers.Address(text, "-U: ") is var address && address is Address.Tcp { Port: 0 } or Address.Tls { Port: 0 }
            ? throw new UsageException($"-U '{text}' needs a port, as in http://localhost:5000")
            : address;
    }

    private IReadOnlyList<Watch> Watches()
    {
        var watches = (typed.GetValue(declared.Watch) ?? []).Select(OneWatch).ToList();
        return watches.DistinctBy(watch => watch.Name).Count() == watches.Count
            ? watches
            : throw new UsageException("--watch uses the same name twice: give each address its own name");
    }

    private static Watch OneWatch(string text) => text.Split('=', 2) is [{ Length: > 0 } name, var where]
        ? new Watch(name, Parsers.Address(where, $"--watch {name}: "))
        : throw new UsageException($"--watch '{text}' is not NAME=ADDRESS, e.g. --watch app=http://127.0.0.1:8000");

    /// <summary>
    /// Reads --connect-per-call. Without a value, the option opens a connection for every call. With <c>both</c>, connections
    /// that stay open are measured too. In a command that takes servers as arguments, any other word after the option
    /// is a server.
    /// </summary>
    private IReadOnlyList<bool> PerCall() => typed.GetResult(declared.ConnectPerCall) is null or { Implicit: true }
        ? [false]
        : Get(declared.ConnectPerCall) switch
        {
            "both" => [false, true],
            null => [true],
            var other when given is null => throw new UsageException($"--connect-per-call '{other}' is unknown: write "
                + "--connect-per-call alone, or --connect-per-call both"),
            _ => [true],
        };

    /// <summary>
    /// Returns the number of <c>-n</c>. Without <c>-n</c>, returns the preset's number of calls. Null if the preset has no number, or if
    /// <c>-d</c> is given without <c>-n</c>.
    /// </summary>
    private long? Calls(Func<Option<string>, Default, string> or)
    {
        if (Get(declared.Calls) is { } text)
            return AtLeastOne(text, "-n");
        return preset.Calls is { } standard && Get(declared.Duration) is null ? Parsers.Count(or(declared.Calls, standard), "-n") : null;
    }

    private static long AtLeastOne(string text, string what) =>
        Parsers.Count(text, what) is > 0 and var count ? count : throw new UsageException($"{what} must be at least 1");

    private int Threads(int mostConnections)
    {
        if (Get(declared.Threads) is not { } text)
            return Math.Min(Parsers.Integer(preset.Threads.Own, "-t", 1, 1024), mostConnections);
        var threads = Parsers.Integer(text, "-t", 1, 1024);
        var who = preset.Topologies is null ? "-c" : $"the {preset.Name}";
        return threads <= mostConnections
            ? threads
            : throw new UsageException(
                $"-t {threads} needs at least {threads} connections, because each connection belongs to one thread, "
                    + $"but {who} has {mostConnections}");
    }

    private string Transport(string text, string what) => preset.OfferedTransports.Contains(text)
        ? text
        : throw new UsageException(Address.Child.IsKind(text) && !preset.OffersChildren
            ? $"{what}: {text} is a transport of GrpcBench, GrpcBench echo and GrpcBench layers, "
                + $"not of GrpcBench {preset.Name}"
            : $"{what}: there is no transport '{text}': write one of {string.Join(", ", preset.OfferedTransports)}");

    private static string ClientName(string text, string what) =>
        ProtocolTable.Refusal(text) is { } refusal ? throw new UsageException($"{what}: {refusal}") : text;

    private static IReadOnlyList<int> Integers(string text, string what, int most) =>
        Parsers.List(text, what, (entry, name) => Parsers.Integer(entry, name, 1, most));

    private static int ProcessId(string text, string what) => Parsers.Integer(text, what, 1, int.MaxValue);

    private CpuSet? Cpus(Option<string> option, string what) => Get(option) is { } text ? Parsers.Cpus(text, what) : null;

    private string? Get(Option<string> option) => typed.GetValue(option);
}
