using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Grpc;
using IpcBench.Client.Protocols.Http1;
using IpcBench.Transports;

namespace IpcBench.Client.Protocols;

/// <summary>The load of one cell, its amount and its calls.</summary>
internal sealed record LoadOptions : EngineOptions
{
    public ConnectorOptions Connector { get; init; } = new();

    /// <summary>
    /// True when the client grpc-dotnet connects through LoopSockets. False when it connects through
    /// System.Net.Sockets. The client wire always uses event loops where the system has them.
    /// </summary>
    public bool OnLoops { get; init; }

    /// <summary>HTTP/2 receive window in bytes. Null: the client's default, which limits nothing for wire.</summary>
    public int? Http2Window { get; init; }

    /// <summary>The client, by its name in <see cref="ProtocolTable"/>.</summary>
    public string Client { get; init; } = ProtocolTable.Wire;

    public string Protocol { get; init; } = ProtocolTable.Grpc;

    /// <summary>The user's method that a gRPC call uses. Null means <c>Bench.Download</c>.</summary>
    public GrpcCall? Call { get; init; }

    /// <summary>The kind of a gRPC call, by its name in <see cref="CallMode"/>.</summary>
    public string Mode { get; init; } = CallMode.Unary;

    public override Flow Flow => CallMode.FlowOf(Mode);

    /// <summary>
    /// Messages of a stream before a new stream is opened, where a call is a message. 0 means one stream for the whole load.
    /// </summary>
    public long Messages { get; init; }

    /// <summary>The size in bytes of the messages of a pulled payload. 0 means one message.</summary>
    public long Chunk { get; init; }

    /// <summary>The request of an HTTP/1.1 call. Null for other protocols.</summary>
    public HttpRequest? Request { get; init; }

    /// <summary>True to open and close a connection for every call. The latency includes the opening only.</summary>
    public bool ConnectPerCall { get; init; }
}
