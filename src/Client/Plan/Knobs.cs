using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>The settings of both sides that affect results. Null means the default of the system or the server.</summary>
internal sealed record Knobs
{
    /// <summary>SO_SNDBUF and SO_RCVBUF in bytes, of the client and the started server.</summary>
    public int? SocketBuffer { get; init; }

    /// <summary>True to use Nagle's algorithm on both sides of TCP. False sets TCP_NODELAY.</summary>
    public bool Nagle { get; init; }

    /// <summary>The client's HTTP/2 receive window in bytes, per stream and per connection.</summary>
    public int? Http2Window { get; init; }

    /// <summary>The started server's HTTP/2 receive window in bytes, per stream and per connection.</summary>
    public int? ServerWindow { get; init; }

    /// <summary>The length of the started server's accept queue.</summary>
    public int? Backlog { get; init; }

    /// <summary>The number of Kestrel's socket I/O queues in the started server. With 0, Kestrel uses the thread pool instead.</summary>
    public int? IoQueues { get; init; }

    /// <summary>True when the started server runs its application code on the I/O threads.</summary>
    public bool Inline { get; init; }

    /// <summary>True when the started server begins a receive before data has arrived, so that idle connections keep buffers.</summary>
    public bool EagerReceive { get; init; }

    /// <summary>
    /// The sockets of the started server: <c>dotnet</c>, <c>loop</c> or, for raw echoes, <c>bare</c>. Null means the server's default.
    /// </summary>
    public string? Sockets { get; init; }

    /// <summary>The sockets of the client grpc-dotnet: <c>loop</c>. Null means System.Net.Sockets.</summary>
    public string? ClientSockets { get; init; }

    /// <summary>The garbage collector of the started server: <c>server</c> or <c>workstation</c>.</summary>
    public string? ServerGc { get; init; }

    /// <summary>The build of the started server: <c>jit</c> or <c>aot</c>. Null means the same as this program.</summary>
    public string? ServerBuild { get; init; }

    /// <summary>The gRPC stack of the started server: <c>built-in</c> or <c>grpc-dotnet</c>.</summary>
    public string? Stack { get; init; }

    /// <summary>CPU time that the started server uses for each call.</summary>
    public TimeSpan Work { get; init; }

    /// <summary>How both ends of shared memory wait. Null means <see cref="RingWait.Default"/>.</summary>
    public string? Wait { get; init; }

    /// <summary>Returns <paramref name="basis"/>, the options of the client's connectors, with these knobs.</summary>
    public ConnectorOptions Connector(ConnectorOptions basis) => basis with
    {
        NoDelay = !Nagle,
        SocketBuffer = SocketBuffer,
        Wait = Wait is { } text ? RingWait.Find(text)! : RingWait.Default,
    };
}
