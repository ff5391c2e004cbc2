using IpcBench.Server.Faults;
using IpcBench.Transports;

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

    /// <summary>Whose sockets serve; null: this program's event loop for a raw echo where there is epoll, .NET's for all else.</summary>
    public SocketEngine? Sockets { get; init; }

    /// <summary>SO_SNDBUF and SO_RCVBUF in bytes; null leaves the system's choice.</summary>
    public int? SocketBuffer { get; init; }

    /// <summary>Leave Nagle's algorithm on for TCP and TLS.</summary>
    public bool Nagle { get; init; }

    /// <summary>Bytes that a client may send ahead, of a stream and of a connection.</summary>
    public int Http2Window { get; init; } = 128 << 10;

    /// <summary>Concurrent calls of one connection.</summary>
    public int MaxStreams { get; init; } = 100;

    /// <summary>Bytes of one write of a large reply: what a client that does not read can hold back per call.</summary>
    public int WriteChunk { get; init; } = 128 << 10;

    /// <summary>Windows: kernel buffer of a named pipe in bytes, each way; null leaves Kestrel's choice.</summary>
    public int? PipeBuffer { get; init; }

    /// <summary>Windows: named-pipe instances that wait for a client at a time; null leaves Kestrel's choice.</summary>
    public int? PipeListeners { get; init; }

    /// <summary>Deliberate defects, for tests of the measuring itself.</summary>
    public FaultOptions Faults { get; init; } = new();
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
