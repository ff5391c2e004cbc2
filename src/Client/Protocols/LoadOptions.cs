using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Grpc;
using IpcBench.Client.Protocols.Http1;
using IpcBench.Client.Protocols.JsonRpc;
using IpcBench.Transports;

namespace IpcBench.Client.Protocols;

/// <summary>The load of one cell, with the options of each protocol.</summary>
internal sealed record LoadOptions : EngineOptions
{
    public ConnectorOptions Connector { get; init; } = new();

    /// <summary>
    /// True when the client grpc-dotnet connects through LoopSockets, false for System.Net.Sockets. Has no effect on systems
    /// without event loops, on pipes and children, and on the client wire.
    /// </summary>
    public bool OnLoops { get; init; }

    /// <summary>
    /// HTTP/2 receive window in bytes. Null: the client's default. The default of the client <c>wire</c> is too large to
    /// limit a call.
    /// </summary>
    public int? Http2Window { get; init; }

    /// <summary>The client, by its name in <see cref="ProtocolTable"/>.</summary>
    public string Client { get; init; } = ProtocolTable.Wire;

    public string Protocol { get; init; } = ProtocolTable.Grpc;

    /// <summary>The user's method that a gRPC call uses. Null means the method of <c>Bench</c> for the <see cref="Mode"/>.</summary>
    public GrpcCall? Call { get; init; }

    /// <summary>The kind of a gRPC call, by its name in <see cref="CallMode"/>.</summary>
    public string Mode { get; init; } = CallMode.Unary;

    public override Flow Flow => CallMode.FlowOf(Mode);

    /// <summary>
    /// If each call is a message on a stream, the number of messages after which a new stream is opened. 0 means one stream
    /// for the whole load.
    /// </summary>
    public long Messages { get; init; }

    /// <summary>The size in bytes of each message of a pulled payload. 0 means that a payload is one message.</summary>
    public long Chunk { get; init; }

    /// <summary>The request of an HTTP/1.1 call. Null for other protocols.</summary>
    public HttpRequest? Request { get; init; }

    /// <summary>The tool that a JSON-RPC call uses. Null means the tool <c>download</c> of this project's server.</summary>
    public ToolCall? Tool { get; init; }

    /// <summary>True to open and close a connection for every call. The latency includes the opening, but not the closing.</summary>
    public bool ConnectPerCall { get; init; }
}
