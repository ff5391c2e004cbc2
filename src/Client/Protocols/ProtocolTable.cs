using Google.Protobuf;
using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Echo;
using IpcBench.Client.Protocols.GrpcDotnet;
using IpcBench.Client.Protocols.Http1;
using IpcBench.Client.Protocols.Http2;
using IpcBench.Client.Protocols.InOrder;
using IpcBench.Client.Protocols.JsonRpc;
using IpcBench.Http2;
using IpcBench.Protocol;
using IpcBench.Protocol.V1;
using IpcBench.Transports;
using IpcBench.Transports.Loop;
using IpcBench.Transports.Rings;

namespace IpcBench.Client.Protocols;

/// <summary>The clients, and the protocols that each client speaks.</summary>
internal static class ProtocolTable
{
    /// <summary>Names of the client implementations.</summary>
    public const string Wire = "wire", GrpcDotnet = "grpc-dotnet";

    /// <summary>Names of the protocols.</summary>
    public const string Grpc = "grpc", Http1 = "http1", Http2 = "http2", Echo = "echo", JsonRpc = "jsonrpc", JsonRpcLsp = "jsonrpc-lsp";

    /// <summary>Bytes of the receive buffer for the parts of a reply besides its payload.</summary>
    private const int HeadRoom = 1024;

    // Numbers the connections whose requests must differ.
    private static long httpConnections;

    /// <summary>True for protocols whose servers may also answer calls of <c>Control</c>, which go over gRPC.</summary>
    public static bool IsGrpcServed(string protocol) => protocol is Grpc or Http2;

    /// <summary>The values of the option <c>--protocol</c>.</summary>
    public static IReadOnlyList<string> OfMain { get; } = [Grpc, JsonRpc, JsonRpcLsp];

    /// <summary>True for JSON-RPC, with either framing.</summary>
    public static bool IsJsonRpc(string protocol) => protocol is JsonRpc or JsonRpcLsp;

    /// <summary>Returns the error message for an unknown client. Null when the client is known.</summary>
    public static string? Refusal(string client) =>
        client is Wire or GrpcDotnet ? null : $"there is no client '{client}': write {Wire} or {GrpcDotnet}";

    /// <summary>Makes the source of a cell's connections, for <see cref="LoadGenerator.OpenAsync"/>.</summary>
    /// <exception cref="ArgumentException">The client does not speak this protocol, or an option does not fit the protocol.</exception>
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
            (Wire, JsonRpc or JsonRpcLsp) => await OverJsonRpcAsync(options, cancellation),
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

    /// <summary>Returns the options for the user's method, or for the method of <c>Bench</c> that the mode needs.</summary>
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

    /// <summary>Returns the options for a plain HTTP/2 request, without gRPC.</summary>
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
        var same = asked.BodyOf is null ? asked.ToBytes(close: options.ConnectPerCall) : null;
        var dialer = await Dialer.ForAsync(
            options.Address, options.Connector with { Alpn = "http/1.1" }, options.Size + HeadRoom, cancellation);
        return dialer.Connections(scheduler =>
        {
            var request = same ?? asked.ToBytes(close: options.ConnectPerCall, Interlocked.Increment(ref httpConnections));
            return new InOrderConnection(scheduler, dialer, new HttpProtocol(request, asked, closes: options.ConnectPerCall), atOnce: 1)
            {
                Reopens = !options.ConnectPerCall,
            };
        });
    }

    private static async Task<ConnectionSource> OverEchoAsync(LoadOptions options, CancellationToken cancellation)
    {
        if (options.Size < 1)
            throw new ArgumentException("an echo needs at least one byte", nameof(options));
        var dialer = await Dialer.ForAsync(options.Address, options.Connector, options.Size * options.Streams, cancellation);
        return dialer.Connections(scheduler =>
            new InOrderConnection(scheduler, dialer, new EchoProtocol((int)options.Size), options.Streams)
            {
                OpensWithCall = options.Address is Address.Child,
                Reopens = !options.ConnectPerCall,
            });
    }

    private static async Task<ConnectionSource> OverJsonRpcAsync(LoadOptions options, CancellationToken cancellation)
    {
        var session = new JsonRpcOptions(options.Tool ?? ToolCall.Download(options.Size))
        {
            HasHeaders = options.Protocol == JsonRpcLsp,
            Size = options.Tool is null ? options.Size : null,
            Streams = options.Streams,
        };
        var dialer = await Dialer.ForAsync(
            options.Address, options.Connector, (options.Size + HeadRoom) * options.Streams, cancellation);
        var source = dialer.Connections(
            scheduler => new JsonRpcConnection(scheduler, dialer, session) { Reopens = !options.ConnectPerCall });
        return source with { Notes = session.Notes };
    }

    /// <summary>Gives each connection its own channel and handler, like the channels of different applications.</summary>
    private static ConnectionSource OverGrpcDotnet(LoadOptions options)
    {
        // The handler does the TLS. If the connector did the TLS, the handler would send the scheme http, and a server might
        // reject this scheme.
        var address = options.Address is Address.Tls tls ? new Address.Tcp(tls.Host, tls.Port) : options.Address;
        // Neither a pipe nor a child is a socket, so LoopSockets cannot connect to them.
        Connector connector = address is Address.Child { Transport: Address.Child.SharedMemory } shared
            ? new RingStreamConnector(shared, options.Connector.Wait)
            : options.OnLoops && EventLoop.IsSupported && address is not (Address.Pipe or Address.Child)
            ? new PipedConnector(address, options.Connector) : Connector.For(address, options.Connector);
        // All calls send the same payload, like an application that reuses a buffer. So the measurement includes the sending
        // of the message, but not its creation.
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
