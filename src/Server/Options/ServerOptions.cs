using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using IpcBench.Server.Behaviors;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Server.Options;

/// <summary>The options of the command line. They do not change while the server runs.</summary>
internal sealed record ServerOptions
{
    /// <summary>The addresses of a server without <c>--listen</c>.</summary>
    public static IReadOnlyList<Address> DefaultAddresses { get; } =
    [
        new Address.Tcp("localhost", 5000),
        new Address.Tls("localhost", 5001),
        new Address.Unix("/tmp/greeter.sock"),
        new Address.Pipe("PipeGreeter"),
    ];

    public IReadOnlyList<Address> Listen { get; init; } = DefaultAddresses;

    /// <summary>Addresses that send every byte back.</summary>
    public IReadOnlyList<Address> Echo { get; init; } = [];

    /// <summary>The largest payload in bytes.</summary>
    public int MaxSize { get; init; } = 64 << 20;

    /// <summary>
    /// Whether a client has started this server. Such a server ignores the terminal's Ctrl-C and stops at the end of standard input.
    /// </summary>
    public bool Owned { get; init; }

    /// <summary>The name of the gRPC implementation. Null for the default of this build.</summary>
    public string? Stack { get; init; }

    /// <summary>
    /// The number of connections that may wait to be accepted. The system limits this number (Linux: net.core.somaxconn).
    /// </summary>
    public int Backlog { get; init; } = 4096;

    /// <summary>The number of Kestrel's I/O queues. Null for Kestrel's default. With 0, I/O callbacks run on the thread pool.</summary>
    public int? IoQueues { get; init; }

    /// <summary>Whether completions run on the polling threads, without a hop to the thread pool.</summary>
    public bool Inline { get; init; }

    /// <summary>
    /// Whether to receive at once, into a buffer that each waiting connection then holds. Otherwise a receive of 0 bytes
    /// first waits for data.
    /// </summary>
    public bool EagerReceive { get; init; }

    /// <summary>
    /// The sockets of the server. Null for this program's event loop for raw echoes on Linux, and .NET's sockets otherwise.
    /// </summary>
    public SocketEngine? Sockets { get; init; }

    /// <summary>SO_SNDBUF and SO_RCVBUF in bytes. Null for the system's default.</summary>
    public int? SocketBuffer { get; init; }

    /// <summary>Whether to keep Nagle's algorithm on for TCP and TLS.</summary>
    public bool Nagle { get; init; }

    /// <summary>The initial HTTP/2 window of a stream and of a connection in bytes. Null for Kestrel's default.</summary>
    public int? Http2Window { get; init; }

    /// <summary>The most concurrent calls of one connection.</summary>
    public int MaxStreams { get; init; } = 100;

    /// <summary>The bytes of one write of a large reply. A client that does not read can hold this much memory per call.</summary>
    public int WriteChunk { get; init; } = 128 << 10;

    /// <summary>On Windows, the kernel buffer of a named pipe in each direction, in bytes. Null for Kestrel's default.</summary>
    public int? PipeBuffer { get; init; }

    /// <summary>On Windows, the number of named-pipe instances that wait for a client. Null for Kestrel's default.</summary>
    public int? PipeListeners { get; init; }

    /// <summary>Faults on purpose, for tests of the client.</summary>
    public EndpointBehaviorOptions Behaviors { get; init; } = new();

    /// <summary>Lists the settings that <c>Control.Describe</c> reports and results files keep: <c>backlog</c>, <c>4096</c>.</summary>
    public IEnumerable<(string Name, string Value)> Settings()
    {
        yield return ("backlog", Text(Backlog));
        yield return ("io-queues", Text(IoQueues));
        yield return ("inline", Text(Inline));
        yield return ("eager-receive", Text(EagerReceive));
        yield return ("sockets", Sockets == SocketEngine.Loop ? "loop" : "dotnet");
        yield return ("socket-buffer", Text(SocketBuffer));
        yield return ("nagle", Text(Nagle));
        yield return ("http2-window", Text(Http2Window));
        yield return ("max-streams", Text(MaxStreams));
        yield return ("write-chunk", Text(WriteChunk));
        if (OperatingSystem.IsWindows())
        {
            yield return ("pipe-buffer", Text(PipeBuffer));
            yield return ("pipe-listeners", Text(PipeListeners));
        }
        foreach (var (name, values) in Behaviors.Given)
        {
            if (values.Count > 0)
                yield return (name, string.Join(' ', values));
        }
    }

    private static string Text(bool value) => value ? "yes" : "no";

    private static string Text(int? value) => value?.ToString(CultureInfo.InvariantCulture) ?? "default";
}

/// <summary>The implementation of sockets.</summary>
internal enum SocketEngine
{
    /// <summary>System.Net.Sockets, through Kestrel.</summary>
    DotNet,

    /// <summary>The event loop of IpcBench.Transports, on Linux only.</summary>
    Loop,

    /// <summary>System.Net.Sockets without Kestrel for raw echoes. Other endpoints are served as by <see cref="DotNet"/>.</summary>
    Bare,
}

/// <summary>Defines and reads the options of the command line.</summary>
internal static class ServerArguments
{
    private static readonly ServerOptions Default = new();

    private static readonly Option<Address[]> Listen = new("--listen", "-l")
    {
        Description = "An address to serve; repeatable: http://host:port, https://host:port, unix:/path, unix-abstract:name, pipe:/name. "
            + $"With port 0 the system chooses a port [default: {string.Join(", ", Default.Listen)}]",
        HelpName = "ADDRESS",
        Arity = ArgumentArity.ZeroOrMore,
        CustomParser = ParseAddresses,
    };

    private static readonly Option<Address[]> Echo = new("--echo")
    {
        Description = "An address that sends every byte back, without gRPC; repeatable, also beside --listen. "
            + "Without --listen only these are served",
        HelpName = "ADDRESS",
        Arity = ArgumentArity.ZeroOrMore,
        CustomParser = ParseAddresses,
    };

    private static readonly Option<int> MaxSize = NumberOption.Size(
        "--max-size", "Largest payload that is served", 1, ByteSize.Most, Default.MaxSize);
    private static readonly Option<bool> Owned = new("--owned") { Description = "Ignore Ctrl-C; end when standard input closes" };

    /// <summary>The option of the stack. ServerCommand knows the stacks, so it adds their names, the default and the check.</summary>
    public static readonly Option<string> Stack = new("--stack") { Description = "The gRPC implementation that answers" };
    private static readonly Option<int> Backlog = NumberOption.Number(
        "--backlog", "Connections that may wait to be accepted", 1, 1 << 20, Default.Backlog);
    private static readonly Option<int?> IoQueues = NumberOption.Optional(
        "--io-queues", "Kestrel's I/O queues, 0 uses the thread pool; with --sockets loop event loops", 0, 1024);
    private static readonly Option<bool> Inline = new("--inline")
    {
        Description = "Run the application on the polling threads, or on the event loops, instead of the thread pool",
    };

    private static readonly Option<bool> EagerReceive = new("--eager-receive")
    {
        Description = "Receive at once instead of waiting for data first; each waiting connection then holds a buffer",
    };

    private static readonly Option<SocketEngine?> Sockets = new("--sockets")
    {
        Description = "Whose sockets serve: loop (this program's event loop, Linux), dotnet (through Kestrel) or, for --echo alone, bare "
            + "(dotnet without Kestrel). Default: loop for --echo on Linux, else dotnet",
        HelpName = "loop|dotnet|bare",
        CustomParser = ParseEngine,
    };

    private static readonly Option<int?> SocketBuffer = NumberOption.OptionalSize(
        "--socket-buffer", "Send and receive buffer of each socket", 1 << 10, 1 << 30);
    private static readonly Option<bool> Nagle = new("--nagle") { Description = "Leave Nagle's algorithm on" };

    // Kestrel accepts no window below the protocol's initial 65,535.
    private static readonly Option<int?> Http2Window = NumberOption.OptionalSize(
        "--http2-window", "Bytes that a client may send ahead, of a stream and in all (default: Kestrel's own, 768 KiB and 1 MiB)",
        65_535, 1 << 30);
    private static readonly Option<int> MaxStreams = NumberOption.Number(
        "--max-streams", "Concurrent calls of one connection", 1, 1 << 16, Default.MaxStreams);
    private static readonly Option<int> WriteChunk = NumberOption.Size(
        "--write-chunk", "Bytes of one write of a large reply", 4 << 10, 1 << 30, Default.WriteChunk);
    private static readonly Option<int?> PipeBuffer = NumberOption.OptionalSize(
        "--pipe-buffer", "Windows: kernel buffer of a named pipe, each way", 0, 1 << 30);
    private static readonly Option<int?> PipeListeners = NumberOption.Optional(
        "--pipe-listeners", "Windows: named-pipe instances that wait for a client", 1, 1024);

    private static readonly Option<string[]> Work = new("--work")
    {
        Description = "CPU time that each call takes before its answer, as a handler would: 30us, 1.5ms; "
            + "1=30us: for the second address alone",
        HelpName = "TIME",
        Arity = ArgumentArity.ZeroOrMore,
    };

    private static readonly Option<string[]> DelayUs = Hidden("--delay-us");
    private static readonly Option<string[]> DelayEvery = Hidden("--delay-every");
    private static readonly Option<string[]> Answers = Hidden("--fault");

    public static IReadOnlyList<Option> All =>
    [
        Listen, Echo, MaxSize, Owned, Stack, Backlog, IoQueues, Inline, EagerReceive, Sockets, SocketBuffer, Nagle, Http2Window,
        MaxStreams, WriteChunk, PipeBuffer, PipeListeners, Work, DelayUs, DelayEvery, Answers,
    ];

    public static ServerOptions Read(ParseResult parsed) => new()
    {
        Listen = (parsed.GetValue(Listen), parsed.GetValue(Echo)) switch
        {
            ({ Length: > 0 } given, _) => given,
            (_, { Length: > 0 }) => [],
            _ => ServerOptions.DefaultAddresses,
        },
        Echo = parsed.GetValue(Echo) ?? [],
        MaxSize = parsed.GetValue(MaxSize),
        Owned = parsed.GetValue(Owned),
        Stack = parsed.GetValue(Stack),
        Backlog = parsed.GetValue(Backlog),
        IoQueues = parsed.GetValue(IoQueues),
        Inline = parsed.GetValue(Inline),
        EagerReceive = parsed.GetValue(EagerReceive),
        Sockets = parsed.GetValue(Sockets),
        SocketBuffer = parsed.GetValue(SocketBuffer),
        Nagle = parsed.GetValue(Nagle),
        Http2Window = parsed.GetValue(Http2Window),
        MaxStreams = parsed.GetValue(MaxStreams),
        WriteChunk = parsed.GetValue(WriteChunk),
        PipeBuffer = parsed.GetValue(PipeBuffer),
        PipeListeners = parsed.GetValue(PipeListeners),
        Behaviors = new EndpointBehaviorOptions
        {
            Work = parsed.GetValue(Work) ?? [],
            DelayUs = parsed.GetValue(DelayUs) ?? [],
            DelayEvery = parsed.GetValue(DelayEvery) ?? [],
            Answers = parsed.GetValue(Answers) ?? [],
        },
    };

    private static Address[] ParseAddresses(ArgumentResult result)
    {
        var addresses = new List<Address>();
        foreach (var token in result.Tokens)
        {
            if (Address.TryParse(token.Value, out var address, out var error))
                addresses.Add(address);
            else
                result.AddError(error);
        }
        return [.. addresses];
    }

    private static SocketEngine? ParseEngine(ArgumentResult result)
    {
        switch (result.Tokens[0].Value)
        {
            case "dotnet":
                return SocketEngine.DotNet;
            case "bare":
                return SocketEngine.Bare;
            case "loop" when EventLoop.IsSupported:
                return SocketEngine.Loop;
            case "loop":
                result.AddError("--sockets loop needs epoll, which this system lacks: leave it out or write dotnet");
                return null;
            default:
                result.AddError($"'{result.Tokens[0].Value}' is no value for --sockets: write loop, dotnet or bare");
                return null;
        }
    }

    private static Option<string[]> Hidden(string name) => new(name) { Hidden = true, Arity = ArgumentArity.ZeroOrMore };
}
