using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using IpcBench.Server.Behaviors;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Server.Options;

/// <summary>What the command line asked for; fixed once the server runs.</summary>
internal sealed record ServerOptions
{
    /// <summary>Where a server without <c>--listen</c> is found.</summary>
    public static IReadOnlyList<Address> DefaultAddresses { get; } =
    [
        new Address.Tcp("localhost", 5000),
        new Address.Tls("localhost", 5001),
        new Address.Unix("/tmp/greeter.sock"),
        new Address.Pipe("PipeGreeter"),
    ];

    public IReadOnlyList<Address> Listen { get; init; } = DefaultAddresses;

    /// <summary>Addresses where bytes are returned as they come.</summary>
    public IReadOnlyList<Address> Echo { get; init; } = [];

    /// <summary>Largest payload that is served, in bytes.</summary>
    public int MaxSize { get; init; } = 64 << 20;

    /// <summary>Started by a client: the terminal's Ctrl-C is for that client, and the end of standard input ends the server.</summary>
    public bool Owned { get; init; }

    /// <summary>The name of the gRPC implementation that answers; null takes the build's first.</summary>
    public string? Stack { get; init; }

    /// <summary>Connections that may wait to be accepted; the system caps it (Linux: net.core.somaxconn).</summary>
    public int Backlog { get; init; } = 4096;

    /// <summary>Kestrel's I/O queues; null leaves Kestrel's choice, 0 runs I/O callbacks on the thread pool.</summary>
    public int? IoQueues { get; init; }

    /// <summary>Socket completions run on the threads that poll, without a hop to the thread pool.</summary>
    public bool Inline { get; init; }

    /// <summary>
    /// Receive at once, into a buffer that each waiting connection then holds, instead of asking first whether there is anything.
    /// </summary>
    public bool EagerReceive { get; init; }

    /// <summary>Whose sockets serve; null: this program's event loop for a raw echo where there is epoll, .NET's for all else.</summary>
    public SocketEngine? Sockets { get; init; }

    /// <summary>SO_SNDBUF and SO_RCVBUF in bytes; null leaves the system's choice.</summary>
    public int? SocketBuffer { get; init; }

    /// <summary>Leave Nagle's algorithm on for TCP and TLS.</summary>
    public bool Nagle { get; init; }

    /// <summary>Bytes that a client may send ahead, of a stream and of a connection; null leaves Kestrel's own.</summary>
    public int? Http2Window { get; init; }

    /// <summary>Concurrent calls of one connection.</summary>
    public int MaxStreams { get; init; } = 100;

    /// <summary>Bytes of one write of a large reply: what a client that does not read can hold back per call.</summary>
    public int WriteChunk { get; init; } = 128 << 10;

    /// <summary>Windows: kernel buffer of a named pipe in bytes, each way; null leaves Kestrel's choice.</summary>
    public int? PipeBuffer { get; init; }

    /// <summary>Windows: named-pipe instances that wait for a client at a time; null leaves Kestrel's choice.</summary>
    public int? PipeListeners { get; init; }

    /// <summary>Deliberate defects, for tests of the measuring itself.</summary>
    public EndpointBehaviorOptions Behaviors { get; init; } = new();

    /// <summary>What <c>Control.Describe</c> tells of these, and results files keep: <c>backlog</c>, <c>4096</c>.</summary>
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

/// <summary>Who waits for sockets and reads them.</summary>
internal enum SocketEngine
{
    /// <summary>System.Net.Sockets, through Kestrel.</summary>
    DotNet,

    /// <summary>The event loop of IpcBench.Transports; Linux only.</summary>
    Loop,

    /// <summary>System.Net.Sockets without Kestrel: raw echoes alone, for all else as <see cref="DotNet"/>.</summary>
    Bare,
}

/// <summary>The options of the command line, and what was typed.</summary>
internal static class ServerArguments
{
    private static readonly ServerOptions Default = new();

    private static readonly Option<Address[]> Listen = new("--listen", "-l")
    {
        Description = "An address to serve; repeatable: http://host:port, https://host:port, unix:/path, unix-abstract:name, pipe:/name. "
            + $"Port 0 is chosen by the system [default: {string.Join(", ", Default.Listen)}]",
        HelpName = "ADDRESS",
        Arity = ArgumentArity.ZeroOrMore,
        CustomParser = ParseAddresses,
    };

    private static readonly Option<Address[]> Echo = new("--echo")
    {
        Description = "An address where every byte is returned as it comes, no gRPC; repeatable, beside --listen. "
            + "Without --listen nothing else is served",
        HelpName = "ADDRESS",
        Arity = ArgumentArity.ZeroOrMore,
        CustomParser = ParseAddresses,
    };

    private static readonly Option<int> MaxSize = NumberOption.Size(
        "--max-size", "Largest payload that is served", 1, ByteSize.Most, Default.MaxSize);
    private static readonly Option<bool> Owned = new("--owned") { Description = "Ignore Ctrl-C; end when standard input closes" };

    /// <summary>Which stacks there are is known above: ServerCommand adds their names, the default and the check.</summary>
    public static readonly Option<string> Stack = new("--stack") { Description = "The gRPC implementation that answers" };
    private static readonly Option<int> Backlog = NumberOption.Number(
        "--backlog", "Connections that may wait to be accepted", 1, 1 << 20, Default.Backlog);
    private static readonly Option<int?> IoQueues = NumberOption.Optional(
        "--io-queues", "Kestrel's I/O queues, 0 uses the thread pool; with --sockets loop event loops", 0, 1024);
    private static readonly Option<bool> Inline = new("--inline")
    {
        Description = "The application goes on on the threads that poll, or on the event loops, instead of the thread pool",
    };

    private static readonly Option<bool> EagerReceive = new("--eager-receive")
    {
        Description = "Receive without asking first whether there is anything, at a buffer for each connection that waits",
    };

    private static readonly Option<SocketEngine?> Sockets = new("--sockets")
    {
        Description = "Whose sockets serve: loop (this program's event loop, Linux), dotnet (through Kestrel) or, for --echo alone, bare "
            + "(dotnet without Kestrel). Default: loop for --echo where there is epoll, dotnet for all else",
        HelpName = "loop|dotnet|bare",
        CustomParser = ParseEngine,
    };

    private static readonly Option<int?> SocketBuffer = NumberOption.OptionalSize(
        "--socket-buffer", "Send and receive buffer of each socket", 1 << 10, 1 << 30);
    private static readonly Option<bool> Nagle = new("--nagle") { Description = "Leave Nagle's algorithm on" };

    // Kestrel takes no window below the protocol's initial 65,535.
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
        Description = "CPU time that each call computes before it is answered, as a handler would: 30us, 1.5ms; "
            + "1=30us: of the second address alone",
        HelpName = "TIME",
        Arity = ArgumentArity.ZeroOrMore,
    };

    private static readonly Option<string[]> DelayUs = Hidden("--delay-us");
    private static readonly Option<string[]> DelayEvery = Hidden("--delay-every");
    private static readonly Option<string[]> Answers = Hidden("--fault");

    /// <summary>In the order of the help.</summary>
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
                result.AddError("--sockets loop needs epoll, which this system has not: leave it out or write dotnet");
                return null;
            default:
                result.AddError($"'{result.Tokens[0].Value}' is no value for --sockets: write loop, dotnet or bare");
                return null;
        }
    }

    private static Option<string[]> Hidden(string name) => new(name) { Hidden = true, Arity = ArgumentArity.ZeroOrMore };
}
