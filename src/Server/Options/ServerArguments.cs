using System.CommandLine;
using System.CommandLine.Parsing;
using IpcBench.Server.Behaviors;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Server.Options;

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
        Description = "An address at which the server sends every byte back, without gRPC; repeatable, also together with --listen. "
            + "Without --listen only the addresses of --echo are served",
        HelpName = "ADDRESS",
        Arity = ArgumentArity.ZeroOrMore,
        CustomParser = ParseAddresses,
    };

    private static readonly Option<bool> JsonRpc = new("--jsonrpc")
    {
        Description = "Answer JSON-RPC at the addresses of --listen too, as an MCP server with the tool download",
    };

    private static readonly Option<bool> Mcp = new("--mcp")
    {
        Description = "Serve MCP (JSON-RPC) on standard input and output, not on addresses, as an MCP host starts a server",
    };

    private static readonly Option<int> MaxSize = NumberOption.Size(
        "--max-size", "Largest payload that is served", 1, ByteSize.Most, Default.MaxSize);
    private static readonly Option<bool> Owned = new("--owned") { Description = "Ignore Ctrl-C, and end when standard input closes" };

    /// <summary>The option of the gRPC stack. ServerCommand adds the names, the default and the check.</summary>
    public static readonly Option<string> Stack = new("--stack") { Description = "The gRPC implementation that answers" };
    private static readonly Option<int> Backlog = NumberOption.Number(
        "--backlog", "Connections that may wait to be accepted", 1, 1 << 20, Default.Backlog);
    private static readonly Option<int?> IoQueues = NumberOption.Optional(
        "--io-queues", "Number of Kestrel's I/O queues (0: the thread pool), or of event loops with --sockets loop", 0, 1024);
    private static readonly Option<bool> Inline = new("--inline")
    {
        Description = "Run the application on the polling threads, or on the event loops, instead of the thread pool",
    };

    private static readonly Option<bool> EagerReceive = new("--eager-receive")
    {
        Description = "Allocate a receive buffer before data arrives, so that each waiting connection holds a buffer",
    };

    private static readonly Option<SocketEngine?> Sockets = new("--sockets")
    {
        Description = "Sockets of the server: loop (this project's event loop, Linux), dotnet (through Kestrel) or, for --echo alone, bare "
            + "(dotnet without Kestrel). Default: loop for --echo on Linux, else dotnet",
        HelpName = "loop|dotnet|bare",
        CustomParser = ParseEngine,
    };

    private static readonly Option<int?> SocketBuffer = NumberOption.OptionalSize(
        "--socket-buffer", "Send and receive buffer of each socket", 1 << 10, 1 << 30);
    private static readonly Option<bool> Nagle = new("--nagle") { Description = "Keep Nagle's algorithm (TCP_NODELAY unset)" };

    // Kestrel accepts no window below the initial window of HTTP/2, 65,535 bytes.
    private static readonly Option<int?> Http2Window = NumberOption.OptionalSize(
        "--http2-window", "HTTP/2 receive window of a stream and of a connection (default: Kestrel's, 768 KiB and 1 MiB)",
        65_535, 1 << 30);
    private static readonly Option<int> MaxStreams = NumberOption.Number(
        "--max-streams", "Concurrent calls on each connection", 1, 1 << 16, Default.MaxStreams);
    private static readonly Option<int> WriteChunk = NumberOption.Size(
        "--write-chunk", "Bytes per write of a large reply", 4 << 10, 1 << 30, Default.WriteChunk);
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

    // For children that the client starts (ChildEcho).
    private static readonly Option<string?> Child = new("--child") { Hidden = true };
    private static readonly Option<string?> ChildEnd = new("--child-end") { Hidden = true };
    private static readonly Option<RingWait> Wait = new("--wait")
    {
        Hidden = true,
        CustomParser = static result =>
        {
            if (RingWait.Find(result.Tokens[0].Value) is { } wait)
                return wait;
            result.AddError($"'{result.Tokens[0].Value}' is not a value for --wait: write one of {string.Join(", ", RingWait.Values)}");
            return null;
        },
    };

    private static readonly Option<string[]> DelayUs = Hidden("--delay-us");
    private static readonly Option<string[]> DelayEvery = Hidden("--delay-every");
    private static readonly Option<string[]> Answers = Hidden("--fault");

    public static IReadOnlyList<Option> All =>
    [
        Listen, Echo, JsonRpc, Mcp, MaxSize, Owned, Stack, Backlog, IoQueues, Inline, EagerReceive, Sockets, SocketBuffer, Nagle,
        Http2Window, MaxStreams, WriteChunk, PipeBuffer, PipeListeners, Work, Child, ChildEnd, Wait, DelayUs, DelayEvery, Answers,
    ];

    public static ServerOptions Read(ParseResult parsed)
    {
        var read = ReadAll(parsed);
        Address child = new Address.Child(Address.Child.Stdio, "mcp");
        return !parsed.GetValue(Mcp) ? read : read with { Listen = [child], Echo = [], Child = child, Owned = true, JsonRpc = true };
    }

    private static ServerOptions ReadAll(ParseResult parsed) => new()
    {
        Listen = (parsed.GetValue(Listen), parsed.GetValue(Echo)) switch
        {
            ({ Length: > 0 } given, _) => given,
            (_, { Length: > 0 }) => [],
            _ => ServerOptions.DefaultAddresses,
        },
        Echo = parsed.GetValue(Echo) ?? [],
        JsonRpc = parsed.GetValue(JsonRpc),
        MaxSize = parsed.GetValue(MaxSize),
        Owned = parsed.GetValue(Owned),
        Child = parsed.GetValue(Child) is { } child ? Address.Parse(child) : null,
        ChildEnd = parsed.GetValue(ChildEnd),
        Wait = parsed.GetValue(Wait) ?? RingWait.Default,
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
                result.AddError("--sockets loop needs epoll, which this system does not have: leave out --sockets, or write dotnet");
                return null;
            default:
                result.AddError($"'{result.Tokens[0].Value}' is not a value for --sockets: write loop, dotnet or bare");
                return null;
        }
    }

    private static Option<string[]> Hidden(string name) => new(name) { Hidden = true, Arity = ArgumentArity.ZeroOrMore };
}
