using System.Globalization;
using IpcBench.Client.Loads;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Transports;

namespace IpcBench.Client.Cli;

/// <summary>The differences between commands that measure: defaults, protocols, options that are not offered, and help texts.</summary>
internal sealed record Preset
{
    /// <summary>The preset of the main command: gRPC on the transports of one machine.</summary>
    public static Preset Main { get; } = new()
    {
        FreshServers = true,
        OffersChildren = true,
        Shapes =
        [
            (Shape.One, new("10,1M")),
            (Shape.Channel, new("10,10k", Quick: "10")),
            (Shape.Clients, new("10,100,1k,10k,100k,1M", Quick: "10")),
            (Shape.App, new("10")),
        ],
    };

    /// <summary>The basis of commands that measure one load, whose defaults do not depend on the number of servers.</summary>
    public static Preset OneLoad { get; } = Main with
    {
        Shapes = [],
        FreshServers = false,
        Duration = Main.Duration with { Given = null },
        Rounds = Main.Rounds with { Given = null },
        Warmup = Main.Warmup with { Given = null },
    };

    /// <summary>
    /// The name of the command, as in <see cref="RunOptions.Scenario"/>. Empty for the main command and for <c>http</c>.
    /// </summary>
    public string Name { get; init; } = "";

    public string Description { get; init; } = "";

    /// <summary>Examples that are printed after the help.</summary>
    public string? Examples { get; init; }

    public IReadOnlyList<string> Protocols { get; init; } = [ProtocolTable.Grpc];

    /// <summary>True when the command can measure transports to child processes.</summary>
    public bool OffersChildren { get; init; }

    /// <summary>The transports that <c>--transports</c> takes on this system.</summary>
    public IReadOnlyList<string> OfferedTransports =>
        [.. from kind in Address.Own.Keys
            where OffersChildren || !Address.Child.IsKind(kind)
            where OperatingSystem.IsLinux() || kind != Address.Child.SocketPair
            where RingWait.Values.Count > 0 || kind != Address.Child.SharedMemory
            select kind];

    public Default Transports { get; init; } = new(
        "tcp,unix,pipe", Quick: OperatingSystem.IsWindows() ? null : "tcp,unix");

    /// <summary>
    /// The default sizes when no shapes are compared. The list is short, because each size multiplies the number of
    /// cells: with six sizes, <c>--load 50%</c> took 17 minutes.
    /// </summary>
    public Default Sizes { get; init; } = new("10,10k,1M", Quick: "10");

    public Default Connections { get; init; } = new("400");
    public Default Streams { get; init; } = new("1");

    /// <summary>
    /// The default when shapes are compared. It is usually smaller than the default for a single load, because each shape adds
    /// time to the run.
    /// </summary>
    public Default ShapeDuration { get; init; } = new("300ms", Given: "5s", Quick: "300ms");

    /// <inheritdoc cref="ShapeDuration"/>
    public Default ShapeRounds { get; init; } = new("10");

    /// <inheritdoc cref="ShapeDuration"/>
    public Default ShapeWarmup { get; init; } = new("100ms");

    /// <summary>The measured pairs of connections and streams. Null means all combinations of <c>-c</c> and <c>-m</c>.</summary>
    public IReadOnlyList<Topology>? Topologies { get; init; }

    /// <summary>
    /// The shapes that are compared when neither <c>-c</c> nor <c>-m</c> is given. Empty: no shapes are compared, and one
    /// load is measured.
    /// </summary>
    public IReadOnlyList<(Shape Shape, Default Sizes)> Shapes { get; init; } = [];

    /// <summary>True to start new servers for each round. Has no effect with <c>-U</c> or <c>-n</c>.</summary>
    public bool FreshServers { get; init; }

    public Default Threads { get; init; } = new("5");
    public Default Duration { get; init; } = new("1s", Given: "20s", Quick: "400ms");

    public Default Slice { get; init; } = new("50ms");

    /// <summary>The sockets over which only the raw echo is measured. All protocols are measured over System.Net.Sockets.</summary>
    public IReadOnlyList<string> EchoSockets { get; init; } = [];

    /// <summary>The number of calls of a measurement. Null means that a measurement ends after a time, unless <c>-n</c> is given.</summary>
    public Default? Calls { get; init; }

    public Default Rounds { get; init; } = new("12", Given: "3", Quick: "10");
    public Default Warmup { get; init; } = new("500ms", Given: "2s", Quick: "100ms");

    /// <summary>The default warm-up of measurements that have fewer than <c>Calls</c> calls.</summary>
    public (long Calls, string Warmup) Fewer { get; init; } = (long.MaxValue, "500ms");

    public Default Timeout { get; init; } = new("10s");
    public Default MaxTime { get; init; } = new("30m");
    public Default Delta { get; init; } = new("3%");
    public Default Client { get; init; } = new(ProtocolTable.Wire);

    /// <summary>The longest time that <c>--quick</c> takes, in the words of the help.</summary>
    public string QuickTime { get; init; } = "90 seconds";

    /// <summary>
    /// The <c>--max-time</c> of <c>--quick</c> when all shapes are compared and no other option can make the plan longer. A busy machine
    /// gets fewer rounds, not more time. Of the promised 90 seconds, this limit leaves two for the start of program and server.
    /// </summary>
    public Default QuickLimit { get; init; } = new("88s");

    /// <summary>
    /// The names (not the aliases) of the options that the command does not offer. These options have no meaning for the command, or the
    /// command sets them.
    /// </summary>
    public IReadOnlyList<string> NotOffered { get; init; } = [];

    /// <summary>The options that say what a gRPC call is. Only commands that measure gRPC alone offer them.</summary>
    public static IReadOnlyList<string> CallOptions { get; } = ["--mode", "--protocol", "--messages", "--chunk"];

    /// <summary>The options of loads other than full load.</summary>
    public static IReadOnlyList<string> LoadOptions { get; } = ["-R", "--arrivals", .. LoadTable.All.Select(load => load.Option)];

    /// <summary>The options of servers that this tool does not start.</summary>
    public static IReadOnlyList<string> GivenServerOptions { get; } = ["-U", "--aa", "--insecure", "--cacert", "--cert", "--key", "--sni"];

    /// <summary>The settings of servers that this tool starts.</summary>
    public static IReadOnlyList<string> ServerKnobs { get; } =
        [.. Knob.All.Where(knob => knob.Side == KnobSide.Server).Select(knob => knob.Option)];

    /// <summary>Texts that replace an option's usual help. The key is the option's name, no alias. The default value is added.</summary>
    public IReadOnlyDictionary<string, string> Words { get; init; } = new Dictionary<string, string>();

    /// <summary>Returns the help of an option with its default.</summary>
    public string Help(string option, string words, Default? standard = null) =>
        (Words.GetValueOrDefault(option) ?? words) + (standard is null ? "" : $" (default: {standard})");

    /// <summary>Returns the help of an option whose default is another one if shapes are compared.</summary>
    public string Help(string option, string words, Default ofShapes, Default standard) => Shapes.Count == 0
        ? Help(option, words, standard)
        : $"{Help(option, words)} (default: {ofShapes.Own}, with -c or -m {standard.Own}; {standard.Given} with one -U)";

    public string WarmupHelp => Fewer.Calls == long.MaxValue
        ? Help("--warmup", "load before every measurement, not counted", ShapeWarmup, Warmup)
        : Help("--warmup", "load before every measurement, not counted")
            + string.Create(
                CultureInfo.InvariantCulture, $" (default: {Warmup}, or {Fewer.Warmup} for fewer than {Fewer.Calls:#,0} packets)");

    public string QuickHelp
    {
        get
        {
            if (Shapes.Count > 0)
                return $"a first answer within {QuickTime}: {ShapeRounds.Own} rounds of {ShapeDuration.Own} for each load";
            var each = Calls?.Quick is { } calls
                ? string.Create(CultureInfo.InvariantCulture, $"{Parsers.Count(calls, "-n"):#,0} packets")
                : Duration.Quick;
            return $"a first answer within {QuickTime}: {Rounds.Quick} rounds of "
                + $"{each}{(Sizes.Quick is { } sizes ? $", sizes {sizes}" : "")}";
        }
    }
}
