using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>The settings that move results on either side. A value left null is the system's or the server's own default.</summary>
internal sealed record Knobs
{
    /// <summary>SO_SNDBUF and SO_RCVBUF in bytes, on the client and on the server it starts.</summary>
    public int? SocketBuffer { get; init; }

    /// <summary>Nagle's algorithm on both sides of TCP: off unless asked for.</summary>
    public bool Nagle { get; init; }

    /// <summary>HTTP/2 receive window in bytes that the client grants a stream and a connection.</summary>
    public int? Http2Window { get; init; }

    /// <summary>Accept queue of the server it starts.</summary>
    public int? Backlog { get; init; }

    /// <summary>Kestrel's socket I/O queues of the server it starts.</summary>
    public int? IoQueues { get; init; }

    /// <summary>The server it starts runs its application code on the I/O threads.</summary>
    public bool Inline { get; init; }

    /// <summary>Whose sockets the server it starts has: <c>dotnet</c> or <c>loop</c>; null: what it takes by itself.</summary>
    public string? Sockets { get; init; }

    /// <summary>Garbage collector of the server it starts: <c>server</c> or <c>workstation</c>.</summary>
    public string? ServerGc { get; init; }

    /// <summary>gRPC stack of the server it starts: <c>built-in</c> or <c>grpc-dotnet</c>.</summary>
    public string? Stack { get; init; }

    /// <summary>For the client's connectors.</summary>
    public ConnectorOptions Connector(ConnectorOptions basis) => basis with { NoDelay = !Nagle, SocketBuffer = SocketBuffer };
}
