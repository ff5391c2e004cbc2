using System.Globalization;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;

namespace IpcBench.Client.Cli;

/// <summary>The default value of an option, for reading the command line and for <c>--help</c>.</summary>
/// <param name="Own">The value as typed, for servers that this tool starts.</param>
/// <param name="Given">The value for servers that already run. Null means the same value.</param>
/// <param name="Quick">The value with <c>--quick</c>. Null means the same value.</param>
internal sealed record Default(string Own, string? Given = null, string? Quick = null)
{
    private const int LongestList = 8;

    public string Of(bool own, bool quick) => quick && Quick is not null ? Quick : own ? Own : Given ?? Own;

    /// <summary>
    /// Returns the value for the help, such as <c>20s with -U, else 2s</c>. A long list is shortened to the first
    /// three entries and the last.
    /// </summary>
    public override string ToString()
    {
        if (Given is not null)
            return $"{Given} with -U, else {Own}";
        var entries = Own.Split(',');
        return entries.Length <= LongestList ? Own : $"{string.Join(',', entries.Take(3))},…,{entries[^1]}";
    }
}

/// <summary>The differences between commands that measure: defaults, protocols, options that are not offered, and help texts.</summary>
internal sealed record Preset
{
    /// <summary>The preset of the main command: gRPC on the transports of one machine.</summary>
    public static Preset Main { get; } = new()
    {
        FreshServers = true,
        Shapes =
        [
            (Shape.One, new("10,1M")),
            (Shape.Channel, new("10,10k", Quick: "10")),
            (Shape.Clients, new("10,100,1k,10k,100k,1M", Quick: "10")),
            (Shape.App, new("10")),
        ],
    };

    /// <summary>
    /// The name of the command, and of the comparison that it repeats in results files. Empty for the main command and for <c>http</c>.
    /// </summary>
    public string Name { get; init; } = "";

    public string Description { get; init; } = "";

    /// <summary>Examples that are printed after the help.</summary>
    public string? Examples { get; init; }

    public IReadOnlyList<string> Protocols { get; init; } = [ProtocolTable.Grpc];
    public Default Transports { get; init; } = new(
        "tcp,unix,pipe", Quick: OperatingSystem.IsWindows() ? null : "tcp,unix");

    /// <summary>
    /// The sizes where no shapes are compared. Each size multiplies the arms and loads of the command line, so there are
    /// few: with six sizes <c>--load 50%</c> took 17 minutes.
    /// </summary>
    public Default Sizes { get; init; } = new("10,10k,1M", Quick: "10");

    public Default Connections { get; init; } = new("400");
    public Default Streams { get; init; } = new("1");

    /// <summary>
    /// The default when shapes of load are compared. It is shorter, since there are many shapes and they take turns in short slices.
    /// </summary>
    public Default ShapeDuration { get; init; } = new("300ms", Given: "5s");

    /// <inheritdoc cref="ShapeDuration"/>
    public Default ShapeRounds { get; init; } = new("9", Quick: "8");

    /// <inheritdoc cref="ShapeDuration"/>
    public Default ShapeWarmup { get; init; } = new("100ms");

    /// <summary>Fixed pairs of connections and streams, instead of all combinations.</summary>
    public IReadOnlyList<Topology>? Topologies { get; init; }

    /// <summary>The shapes of load, each with its sizes, that are compared if no concurrency is given. Empty means a single load.</summary>
    public IReadOnlyList<(Shape Shape, Default Sizes)> Shapes { get; init; } = [];

    /// <summary>True when each round has servers of its own, where this tool starts them and a time ends a measurement.</summary>
    public bool FreshServers { get; init; }

    public Default Threads { get; init; } = new("5");
    public Default Duration { get; init; } = new("1s", Given: "20s", Quick: "400ms");

    public Default Slice { get; init; } = new("50ms");

    /// <summary>Kinds of sockets for additional raw echoes, besides the sockets of the other protocols.</summary>
    public IReadOnlyList<string> EchoSockets { get; init; } = [];

    /// <summary>Calls of a measurement. Null means that a measurement ends after a time, unless <c>-n</c> is given.</summary>
    public Default? Calls { get; init; }

    public Default Rounds { get; init; } = new("12", Given: "3", Quick: "10");
    public Default Warmup { get; init; } = new("500ms", Given: "2s", Quick: "100ms");

    /// <summary>The warm-up of measurements with fewer calls than this.</summary>
    public (long Calls, string Warmup) Fewer { get; init; } = (long.MaxValue, "500ms");

    public Default Timeout { get; init; } = new("10s");
    public Default MaxTime { get; init; } = new("30m");
    public Default Delta { get; init; } = new("3%");
    public Default Client { get; init; } = new(ProtocolTable.Wire);

    /// <summary>How long <c>--quick</c> takes at most, as help says it.</summary>
    public string QuickTime { get; init; } = "two minutes";

    /// <summary>
    /// The <c>--max-time</c> of <c>--quick</c> if shapes are compared and no other option makes the plan longer: a busy machine then
    /// gets fewer rounds instead of more time. The rest of the two minutes is for the start of the program and its server.
    /// </summary>
    public Default QuickLimit { get; init; } = new("110s");

    /// <summary>
    /// Options, by first name, that the command does not offer, since they have no meaning for it or it sets them itself.
    /// </summary>
    public IReadOnlyList<string> NotOffered { get; init; } = [];

    /// <summary>Texts that replace the usual help, by the option's first name. The default is added to each text.</summary>
    public IReadOnlyDictionary<string, string> Words { get; init; } = new Dictionary<string, string>();

    /// <summary>Returns the help of an option with its default.</summary>
    public string Help(string option, string words, Default? standard = null) =>
        (Words.GetValueOrDefault(option) ?? words) + (standard is null ? "" : $" (default: {standard})");

    public string WarmupHelp => Fewer.Calls == long.MaxValue
        ? Help("--warmup", "load before every measurement, not counted", Warmup)
        : Help("--warmup", "load before every measurement, not counted")
            + string.Create(
                CultureInfo.InvariantCulture, $" (default: {Warmup}, or {Fewer.Warmup} for fewer than {Fewer.Calls:#,0} packets)");

    public string QuickHelp
    {
        get
        {
            if (Shapes.Count > 0)
                return $"a first answer within {QuickTime}: {ShapeRounds.Quick} rounds of {ShapeDuration.Own} in each shape of load";
            var each = Calls?.Quick is { } calls
                ? string.Create(CultureInfo.InvariantCulture, $"{Parsers.Count(calls, "-n"):#,0} packets")
                : Duration.Quick;
            return $"a first answer within {QuickTime}: {Rounds.Quick} rounds of "
                + $"{each}{(Sizes.Quick is { } sizes ? $", sizes {sizes}" : "")}";
        }
    }
}
