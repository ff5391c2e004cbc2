using System.Globalization;
using IpcBench.Server.Behaviors;
using IpcBench.Transports;

namespace IpcBench.Server.Options;

/// <summary>The options of the command line. They do not change while the server runs.</summary>
internal sealed record ServerOptions
{
    /// <summary>The addresses of a server with neither <c>--listen</c> nor <c>--echo</c>.</summary>
    public static IReadOnlyList<Address> DefaultAddresses { get; } =
    [
        new Address.Tcp("localhost", 5000),
        new Address.Tls("localhost", 5001),
        new Address.Unix("/tmp/greeter.sock"),
        new Address.Pipe("PipeGreeter"),
    ];

    public IReadOnlyList<Address> Listen { get; init; } = DefaultAddresses;

    /// <summary>Addresses at which the server sends every byte back.</summary>
    public IReadOnlyList<Address> Echo { get; init; } = [];

    /// <summary>Whether the addresses of <see cref="Listen"/> also answer JSON-RPC, beside gRPC.</summary>
    public bool JsonRpc { get; init; }

    /// <summary>The largest payload in bytes.</summary>
    public int MaxSize { get; init; } = 64 << 20;

    /// <summary>
    /// The one address of <see cref="Listen"/> or <see cref="Echo"/> that this process serves as a child. Null for a server that
    /// listens.
    /// </summary>
    public Address? Child { get; init; }

    /// <summary>
    /// Where a child finds its end of the connection: the descriptor of a socketpair, or for shared memory the argument
    /// of <c>RingConnector.Open</c>. Null for standard input and output.
    /// </summary>
    public string? ChildEnd { get; init; }

    /// <summary>How a child with shared memory waits for the client.</summary>
    public RingWait Wait { get; init; } = RingWait.Default;

    /// <summary>
    /// Whether a client has started this server. Such a server ignores the terminal's Ctrl-C and stops at the end of standard input.
    /// </summary>
    public bool Owned { get; init; }

    /// <summary>The name of the gRPC implementation. Null for this build's default.</summary>
    public string? Stack { get; init; }

    /// <summary>
    /// The number of connections that may wait to be accepted. The system limits this number (Linux: net.core.somaxconn).
    /// </summary>
    public int Backlog { get; init; } = 4096;

    /// <summary>
    /// The number of Kestrel's I/O queues, or of event loops with <see cref="SocketEngine.Loop"/>. Null for the
    /// default. With 0 queues, I/O callbacks run on the thread pool.
    /// </summary>
    public int? IoQueues { get; init; }

    /// <summary>
    /// Whether code that waits for a socket continues on the thread that polls the socket, without a hop to the thread pool.
    /// </summary>
    public bool Inline { get; init; }

    /// <summary>
    /// Whether each receive gets its buffer at once, so that every waiting connection holds a buffer. If not, a receive
    /// of 0 bytes first waits for data.
    /// </summary>
    public bool EagerReceive { get; init; }

    /// <summary>
    /// The sockets of the server. Null means an event loop of this program for raw echoes on Linux, and .NET's
    /// sockets for everything else.
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

    /// <summary>The bytes of one write of a large reply. With the built-in stack, this is also the memory of a call that waits.</summary>
    public int WriteChunk { get; init; } = 128 << 10;

    /// <summary>On Windows, the kernel buffer of a named pipe in each direction, in bytes. Null for Kestrel's default.</summary>
    public int? PipeBuffer { get; init; }

    /// <summary>On Windows, the number of named-pipe instances that wait for a client. Null for Kestrel's default.</summary>
    public int? PipeListeners { get; init; }

    /// <summary>The work of each call, and faults on purpose for tests of the client.</summary>
    public EndpointBehaviorOptions Behaviors { get; init; } = new();

    /// <summary>
    /// Lists the settings that <c>Control.Describe</c> reports and results files keep, for example <c>backlog</c>
    /// with the value <c>4096</c>.
    /// </summary>
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
        yield return ("wait", Wait.Text);
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
