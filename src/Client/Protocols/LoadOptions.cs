using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Grpc;
using IpcBench.Client.Protocols.Http1;
using IpcBench.Transports;

namespace IpcBench.Client.Protocols;

/// <summary>What one cell's load is made of: how much, and what its calls are.</summary>
internal sealed record LoadOptions : EngineOptions
{
    public ConnectorOptions Connector { get; init; } = new();

    /// <summary>
    /// HTTP/2 receive window in bytes of a stream, and of a connection; null: large enough that flow control is not what is measured.
    /// </summary>
    public int? Http2Window { get; init; }

    /// <summary>One of <see cref="ProtocolTable"/>.</summary>
    public string Client { get; init; } = ProtocolTable.Wire;

    /// <summary>What a call is on the wire: one of <see cref="ProtocolTable"/>.</summary>
    public string Protocol { get; init; } = ProtocolTable.Grpc;

    /// <summary>The method that a gRPC call calls; null: <c>Bench.Download</c>.</summary>
    public GrpcCall? Call { get; init; }

    /// <summary>What an HTTP/1.1 call asks for; null for other protocols.</summary>
    public HttpRequest? Request { get; init; }

    /// <summary>Open a connection for every call and close it afterwards; both belong to the call.</summary>
    public bool ConnectPerCall { get; init; }
}
