using Google.Protobuf;
using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Echo;
using IpcBench.Client.Protocols.Grpc;
using IpcBench.Client.Protocols.GrpcDotnet;
using IpcBench.Client.Protocols.Http1;
using IpcBench.Client.Protocols.Http2;
using IpcBench.Client.Protocols.InOrder;
using IpcBench.Http2;
using IpcBench.Protocol;
using IpcBench.Protocol.V1;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Protocols;

/// <summary>The clients and the protocols that each of them speaks, one line each.</summary>
internal static class ProtocolTable
{
    /// <summary>Client implementations.</summary>
    public const string Wire = "wire", GrpcDotnet = "grpc-dotnet";

    /// <summary>Protocols, the forms of a call on the wire.</summary>
    public const string Grpc = "grpc", Http1 = "http1", Http2 = "http2", Echo = "echo";

    /// <summary>The usual number of bytes of a reply besides its payload.</summary>
    private const int HeadRoom = 1024;

    /// <summary>True for protocols whose servers may answer <c>Control</c> calls over gRPC too.</summary>
    public static bool IsGrpcServed(string protocol) => protocol is Grpc or Http2;

    /// <summary>Returns a sentence about an unknown client. Null when there is such a client.</summary>
    public static string? Refusal(string client) =>
        client is Wire or GrpcDotnet ? null : $"there is no client '{client}': write {Wire} or {GrpcDotnet}";

    /// <summary>Opens the connections of a cell, ready for windows of load.</summary>
    /// <inheritdoc cref="LoadGenerator.OpenAsync" path="/exception"/>
    /// <inheritdoc cref="ConnectionsAsync" path="/exception"/>
    public static async Task<LoadGenerator> OpenAsync(LoadOptions options, CancellationToken cancellation) =>
        await LoadGenerator.OpenAsync(options, await ConnectionsAsync(options, cancellation), cancellation);

    /// <exception cref="ArgumentException">The client does not speak this protocol.</exception>
    /// <exception cref="IOException">The address cannot be resolved.</exception>
    public static async Task<ConnectionSource> ConnectionsAsync(LoadOptions options, CancellationToken cancellation)
    {
        // Connections that are closed after every call must leave TIME_WAIT behind, as in applications.
        if (options.ConnectPerCall)
            options = options with { Connector = options.Connector with { ResetOnClose = false } };
        var source = (options.Client, options.Protocol) switch
        {
            (Wire, Grpc) => await OverHttp2Async(options, ForGrpc(options), cancellation),
            (Wire, Http2) => await OverHttp2Async(options, ForBare(options), cancellation),
            (Wire, Http1) => await OverHttp1Async(options, cancellation),
            (Wire, Echo) => await OverEchoAsync(options, cancellation),
            (GrpcDotnet, Grpc) => OverGrpcDotnet(options),
            _ => throw new ArgumentException($"the client '{options.Client}' does not speak '{options.Protocol}'"),
        };
        return options.ConnectPerCall ? PerCallConnection.Each(source) : source;
    }

    private static async Task<ConnectionSource> OverHttp2Async(
        LoadOptions options, Http2Options session, CancellationToken cancellation)
    {
        var bytesAtOnce = (options.Size + HeadRoom) * options.Streams;
        var dialer = await Dialer.ForAsync(options.Address, options.Connector, bytesAtOnce, cancellation);
        var source = dialer.Connections(
            scheduler => new ReconnectingHttp2Connection(scheduler, dialer, session) { Reopens = !options.ConnectPerCall });
        return source with { Notes = session.Notes };
    }

    /// <summary>Returns the options for <c>Bench.Download</c>, or for the user's method.</summary>
    private static Http2Options ForGrpc(LoadOptions load)
    {
        var (authority, tls) = (load.Address.Authority, load.Address is Address.Tls);
        if (load.Call is { } call)
        {
            return Asking(load, Http2Request.Grpc(call.Authority ?? authority, tls, call.Path, call.Messages, call.Fields)) with
            {
                Reply = ReplyKind.Any,
                DeadlineNs = (long)(call.Deadline?.TotalNanoseconds ?? 0),
                Expect = call.Expect,
                Notes = new FailureNotes(call.Secrets),
                IsStream = CallMode.IsStream(load.Mode),
                IsUserMethod = true,
                Flow = load.Flow,
                Messages = load.Messages,
            };
        }
        if (load.Mode == CallMode.Unary)
            return Asking(load, Http2Request.Download(authority, tls, load.Size));
        return Asking(load, Http2Request.Payload(
            authority, tls, "/" + CallMode.MethodOf(load.Mode), load.Mode == CallMode.Pull ? 0 : load.Size)) with
        {
            Reply = ReplyKind.Received,
            IsStream = CallMode.IsStream(load.Mode),
            Flow = load.Flow,
            Messages = load.Messages,
            Chunk = load.Chunk,
        };
    }

    /// <summary>Returns the options for a request of bytes without gRPC.</summary>
    private static Http2Options ForBare(LoadOptions load) =>
        Asking(load, Http2Request.Bare(load.Address.Authority, load.Address is Address.Tls, load.Size));

    private static Http2Options Asking(LoadOptions load, Http2Request request) => new()
    {
        Request = request,
        Size = load.Size,
        Streams = load.Streams,
        Window = load.Http2Window ?? ReceiveWindow.Ample,
    };

    private static async Task<ConnectionSource> OverHttp1Async(LoadOptions options, CancellationToken cancellation)
    {
        var asked = options.Request ?? throw new ArgumentException("an HTTP/1.1 call needs a request", nameof(options));
        var request = asked.ToBytes(close: options.ConnectPerCall);
        var dialer = await HttpProtocol.DialerAsync(options, options.Connector, cancellation);
        return dialer.Connections(scheduler =>
            new InOrderConnection(scheduler, dialer, new HttpProtocol(request, asked, closes: options.ConnectPerCall), atOnce: 1)
            {
                Reopens = !options.ConnectPerCall,
            });
    }

    private static async Task<ConnectionSource> OverEchoAsync(LoadOptions options, CancellationToken cancellation)
    {
        if (options.Size < 1)
            throw new ArgumentException("an echo needs at least one byte", nameof(options));
        var dialer = await Dialer.ForAsync(options.Address, options.Connector, options.Size * options.Streams, cancellation);
        return dialer.Connections(scheduler =>
            new InOrderConnection(scheduler, dialer, new EchoProtocol((int)options.Size), options.Streams));
    }

    /// <summary>Gives each connection its own channel and handler, as in an application.</summary>
    private static ConnectionSource OverGrpcDotnet(LoadOptions options)
    {
        // The handler does the TLS. If the connector did it, the handler would send the scheme http, which a server might reject.
        var address = options.Address is Address.Tls tls ? new Address.Tcp(tls.Host, tls.Port) : options.Address;
        // A pipe is no socket, so it is connected by .NET in either case.
        var connector = options.OnLoops && EventLoop.IsSupported && address is not Address.Pipe
            ? new PipedConnector(address, options.Connector) : Connector.For(address, options.Connector);
        // All calls send the same message object, as an application reuses a buffer. Thus the sending is measured,
        // and not the making of the message.
        var upload = options.Mode == CallMode.Unary ? null : new Payload
        {
            Payload_ = UnsafeByteOperations.UnsafeWrap(PayloadFrame.ForSize((int)options.Size).AsMemory()[^(int)options.Size..]),
        };
        (long, long)? stream = CallMode.IsStream(options.Mode) ? (options.Messages, options.Chunk) : null;
        var notes = new FailureNotes(options.Call?.Secrets);
        return new ConnectionSource(
            scheduler => new GrpcDotnetConnection(
                scheduler, options, upload, stream, options.Call, notes, connector, options.Connector, options.Http2Window)
            {
                Reopens = !options.ConnectPerCall,
            },
            UsesLoops: false,
            () => connector.Retries,
            Notes: notes);
    }
}

/// <summary>The load of one cell, its amount and its calls.</summary>
internal sealed record LoadOptions : EngineOptions
{
    public ConnectorOptions Connector { get; init; } = new();

    /// <summary>
    /// True when the client grpc-dotnet connects through LoopSockets. False when it connects through
    /// System.Net.Sockets. The client wire always uses event loops where the system has them.
    /// </summary>
    public bool OnLoops { get; init; }

    /// <summary>
    /// HTTP/2 receive window of a stream and of a connection, in bytes. Null means so large that flow control does not limit the load.
    /// </summary>
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

    /// <summary>True to open a connection for every call and close it afterwards. Both count as part of the call.</summary>
    public bool ConnectPerCall { get; init; }
}

/// <summary>The kinds of gRPC calls, as in <c>--mode</c>.</summary>
internal static class CallMode
{
    /// <summary>A small request and a reply with the payload. Also the mode of other protocols.</summary>
    public const string Unary = "unary";

    /// <summary>A request with the payload and a small reply.</summary>
    public const string Upload = "upload";

    /// <summary>Messages on a stream that stays open, each answered before the next message of the stream is sent.</summary>
    public const string PingPong = "ping-pong";

    /// <summary>Messages to the server on a stream that stays open, as fast as the server accepts them.</summary>
    public const string Push = "push";

    /// <summary>Messages from the server on a stream that stays open.</summary>
    public const string Pull = "pull";

    public static IReadOnlyList<string> All { get; } = [Unary, Upload, PingPong, Push, Pull];

    /// <summary>Returns the mode of a user's method, which follows from the method's type.</summary>
    public static string For(GrpcCall call) => (call.TakesStream, call.ReturnsStream) switch
    {
        (true, true) => PingPong,
        (true, false) => Push,
        (false, true) => Pull,
        _ => Unary,
    };

    /// <summary>True when a call is a message on a stream that outlives it.</summary>
    public static bool IsStream(string mode) => mode is PingPong or Push or Pull;

    /// <summary>Returns the direction of the messages.</summary>
    public static Flow FlowOf(string mode) => mode switch
    {
        Push => Flow.Out,
        Pull => Flow.In,
        _ => Flow.Both,
    };

    /// <summary>Returns the method of this project's own service, <c>package.Service/Method</c>.</summary>
    public static string MethodOf(string mode) => "ipcbench.v1.Bench/" + mode switch
    {
        Upload => "Upload",
        PingPong => "Echo",
        Push => "Push",
        Pull => "Pull",
        _ => "Download",
    };
}
