using System.Globalization;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Plan;

/// <summary>
/// A setting that changes results, with its option and its side. To add a knob, add a property to <see cref="Knobs"/> and an entry to
/// <see cref="All"/>. The option, its place in the help, the arms of a sweep and the record in results files follow from the entry.
/// </summary>
/// <param name="Name">The option without dashes.</param>
/// <param name="Side">The side that the knob changes.</param>
/// <param name="Help">One sentence for <c>--help</c>.</param>
/// <param name="Apply">Returns the given knobs, with this knob set to the value that the text names.</param>
/// <param name="Read">Returns the value as text. Null when the knob has its default.</param>
internal sealed record Knob(string Name, KnobSide Side, string Help, Func<Knobs, string, Knobs> Apply, Func<Knobs, string?> Read)
{
    // Kestrel rejects a window below the protocol's initial window.
    private const int LeastServerWindow = 65_535;

    private static readonly string[] Switches = ["on", "off"], Kinds = ["dotnet", "loop", "bare"], KindsOfClient = ["dotnet", "loop"],
        Collectors = ["server", "workstation"], Builds = ["jit", "aot"], Stacks = ["built-in", "grpc-dotnet"];

    public static readonly IReadOnlyList<Knob> All =
    [
        new("socket-buffer", KnobSide.Both,
            "SO_SNDBUF and SO_RCVBUF of the sockets of the client and of this tool's own server (pipes have none), "
                + "e.g. 256k (default: the system's)",
            (knobs, text) => knobs with { SocketBuffer = Parsers.Integer(text, "--socket-buffer", 1 << 10, 1 << 30) },
            knobs => Text(knobs.SocketBuffer)) { IsOf = HasSockets },
        new("nagle", KnobSide.Both, "on: keep Nagle's algorithm (TCP_NODELAY unset) in the client and in this tool's own server",
            (knobs, text) => knobs with { Nagle = Switch(text, "--nagle") }, knobs => knobs.Nagle ? "on" : null)
        { Values = Switches, IsOf = kind => kind is "tcp" or "tls" },
        new("http2-window", KnobSide.Client,
            "HTTP/2 receive window of the client, e.g. 64KiB (default: 16 MiB or more, so that the window limits nothing)",
            (knobs, text) => knobs with { Http2Window = Parsers.Integer(text, "--http2-window", 1, int.MaxValue) },
            knobs => Text(knobs.Http2Window)) { IsOfHttp2 = true },
        new("server-window", KnobSide.Server,
            "HTTP/2 receive window of the started server for uploads and pushed messages, e.g. 128KiB; 128KiB,1MiB: compare both "
                + "(default: Kestrel's, 768 KiB per stream and 1 MiB per connection)",
            (knobs, text) => knobs with { ServerWindow = Parsers.Integer(text, "--server-window", LeastServerWindow, 1 << 30) },
            knobs => Text(knobs.ServerWindow)) { ServerOption = "--http2-window", IsOfHttp2 = true },
        new("backlog", KnobSide.Server, "length of the accept queue of the started server",
            (knobs, text) => knobs with { Backlog = Parsers.Integer(text, "--backlog", 1, 1 << 20) }, knobs => Text(knobs.Backlog))
        { IsOf = kind => !Address.Child.IsKind(kind) },
        new("io-queues", KnobSide.Server, "number of socket I/O queues of the started server; 0: no queues, the thread pool does the I/O",
            (knobs, text) => knobs with { IoQueues = Parsers.Integer(text, "--io-queues", 0, 1024) }, knobs => Text(knobs.IoQueues))
        { IsOf = HasSockets, EchoSockets = ["dotnet"] },
        new("inline", KnobSide.Server,
            "on: the started server runs handlers on its I/O threads (or event loops with --sockets loop); off,on: compare both",
            (knobs, text) => knobs with { Inline = Switch(text, "--inline") }, knobs => knobs.Inline ? "on" : null)
        { Values = Switches, EchoSockets = ["dotnet", "bare"] },
        new("eager-receive", KnobSide.Server,
            "on: the started server allocates a buffer before data arrives (--sockets dotnet)",
            (knobs, text) => knobs with { EagerReceive = Switch(text, "--eager-receive") }, knobs => knobs.EagerReceive ? "on" : null)
        { Values = Switches, IsOf = HasSockets, Sockets = ["dotnet"], EchoSockets = ["dotnet"] },
        new("sockets", KnobSide.Server,
            "sockets of the started server: dotnet (System.Net.Sockets, default) or loop (this project's event loop, Linux); "
                + "dotnet,loop: compare both",
            (knobs, text) => knobs with { Sockets = OneOf(text, "--sockets", Kinds) },
            knobs => knobs.Sockets) { Values = Kinds, IsUsual = true },
        new("client-sockets", KnobSide.Client,
            "sockets of the client grpc-dotnet: dotnet (System.Net.Sockets, default) or loop (this project's event loop, Linux); "
                + "dotnet,loop: compare both",
            (knobs, text) => knobs with { ClientSockets = SocketsOfClient(text) },
            knobs => knobs.ClientSockets) { Values = KindsOfClient },
        new("server-gc", KnobSide.Server, "garbage collector of the started server: server (default) or workstation",
            (knobs, text) => knobs with { ServerGc = OneOf(text, "--server-gc", Collectors) },
            knobs => knobs.ServerGc) { Values = Collectors, ServerOption = null }, // set by an environment variable
        new("server-build", KnobSide.Server,
            "how the started server is compiled: jit (while it runs) or aot (ahead of time); jit,aot: compare both "
                + "(default: as this tool was compiled)",
            (knobs, text) => knobs with { ServerBuild = OneOf(text, "--server-build", Builds) },
            knobs => knobs.ServerBuild) { Values = Builds, ServerOption = null }, // each build is another program
        new("stack", KnobSide.Server, "gRPC stack of the started server: grpc-dotnet (default if the program contains it) or built-in",
            (knobs, text) => knobs with { Stack = OneOf(text, "--stack", Stacks) },
            knobs => knobs.Stack) { Values = Stacks, IsOfHttp2 = true },
        new("work", KnobSide.Server,
            "CPU time that the server uses for each call: 30us; 0,10us,1ms: compare",
            (knobs, text) => knobs with { Work = WorkTime(text) }, knobs => WorkText(knobs.Work))
        { IsUsual = true },
        new("wait", KnobSide.Both,
            $"how both ends of shared memory (shm) wait: {string.Join(", ", RingWait.Values)}; spin keeps a CPU of each side busy "
                + $"(default: {RingWait.Usual})",
            (knobs, text) => knobs with { Wait = WaitText(text) }, knobs => knobs.Wait)
        { Values = RingWait.Values, Transport = Address.Child.SharedMemory, Usual = RingWait.Usual },
    ];

    /// <summary>The knobs that apply to every transport.</summary>
    public static IEnumerable<Knob> OfAll => All.Where(knob => knob.Transport is null);

    /// <summary>The option of the started server that sets this knob. Null when the server has none.</summary>
    public string? ServerOption { get; init; } = Side == KnobSide.Client ? null : "--" + Name;

    /// <summary>The allowed words, for completion in shells. Empty for a number or a time.</summary>
    public IReadOnlyList<string> Values { get; init; } = [];

    /// <summary>The only transport to which the knob applies. Each value of the knob is an arm. Null means all transports.</summary>
    public string? Transport { get; init; }

    /// <summary>Whether the knob changes anything over a transport of this kind.</summary>
    public Func<string, bool> IsOf { get; init; } = static _ => true;

    /// <summary>The kinds of <c>--sockets</c> for which the knob changes anything in a server with Kestrel.</summary>
    public IReadOnlyList<string> Sockets { get; init; } = Kinds;

    /// <summary>The kinds of <c>--sockets</c> for which the knob changes anything in a server of raw echoes.</summary>
    public IReadOnlyList<string> EchoSockets { get; init; } = Kinds;

    /// <summary>The values to compare if the user gives no value. Empty when there is then one arm, with the default.</summary>
    public string Usual { get; init; } = "";

    /// <summary>True when the knob changes HTTP/2 or gRPC alone, and nothing for JSON-RPC.</summary>
    public bool IsOfHttp2 { get; init; }

    /// <summary>True when the knob is in the short help. Otherwise it is only in <c>--help all</c>.</summary>
    public bool IsUsual { get; init; }

    /// <summary>The option with its dashes.</summary>
    public string Option => "--" + Name;

    /// <summary>Finds the knob of this name.</summary>
    /// <exception cref="UsageException">There is no such knob. The message lists the knobs.</exception>
    public static Knob Named(string name) => OfAll.FirstOrDefault(knob => knob.Name == name)
        ?? throw new UsageException($"there is no knob '{name}': write one of {string.Join(", ", OfAll.Select(knob => knob.Name))}");

    // A pipe to a child and shared memory are no sockets.
    private static bool HasSockets(string kind) => kind is not (Address.Child.Stdio or Address.Child.SharedMemory);

    private static string OneOf(string text, string what, params string[] choices) => Parsers.OneOf(text, what, choices);

    private static string? SocketsOfClient(string text) => OneOf(text, "--client-sockets", KindsOfClient) switch
    {
        "loop" when !EventLoop.IsSupported =>
            throw new UsageException(
                "--client-sockets loop needs Linux's epoll, which this system does not have: leave out --client-sockets, or write dotnet"),
        "loop" => "loop",
        _ => null,
    };

    private static bool Switch(string text, string what) => OneOf(text, what, Switches) == "on";

    // A number without a unit would mean seconds, which is never intended.
    private static TimeSpan WorkTime(string text)
    {
        var time = text == "0" || !char.IsAsciiDigit(text[^1]) ? Parsers.Duration(text, "--work") : TimeSpan.MaxValue;
        return time <= TimeSpan.FromMinutes(1) ? time
            : throw new UsageException($"--work '{text}' is not a time with a unit, up to a minute: write 0, 30us or 1.5ms");
    }

    private static string? WorkText(TimeSpan time) =>
        time == TimeSpan.Zero ? null : string.Create(CultureInfo.InvariantCulture, $"{time.TotalMicroseconds:0.###}us");

    // Any time may follow "spin=", not only the time in RingWait.Values.
    private static string WaitText(string text) => RingWait.Find(text)?.Text ?? OneOf(text, "--wait", [.. RingWait.Values]);

    private static string? Text(int? value) => value?.ToString(CultureInfo.InvariantCulture);
}
