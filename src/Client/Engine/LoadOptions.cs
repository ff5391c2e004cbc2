using IpcBench.Transports;

namespace IpcBench.Client.Engine;

/// <summary>What one cell's load is made of; fixed while its connections are open.</summary>
internal sealed record LoadOptions
{
    public required Address Address { get; init; }

    /// <summary>Payload bytes to ask for.</summary>
    public required long Size { get; init; }

    public required int Connections { get; init; }

    /// <summary>Concurrent calls of one connection.</summary>
    public int Streams { get; init; } = 1;

    /// <summary>Threads that run completions.</summary>
    public required int Threads { get; init; }

    /// <summary>A call that takes longer is cut off.</summary>
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>All connections must be open by then.</summary>
    public TimeSpan ConnectDeadline { get; init; } = TimeSpan.FromSeconds(10);

    public ConnectorOptions Connector { get; init; } = new();

    /// <summary>HTTP/2 receive window in bytes of a stream, and of a connection; null: large enough that flow control is not what is measured.</summary>
    public int? Http2Window { get; init; }

    /// <summary><c>wire</c>, the lean client of this project, or another of the table of protocols.</summary>
    public string Client { get; init; } = "wire";

    /// <summary>What a call is on the wire: those of <see cref="Protocols.ProtocolTable"/>.</summary>
    public string Protocol { get; init; } = "grpc";

    /// <summary>What an HTTP/1.1 call asks for; null for other protocols.</summary>
    public HttpRequest? Request { get; init; }

    /// <summary>Open a connection for every call and close it afterwards; both belong to the call.</summary>
    public bool ConnectPerCall { get; init; }
}
