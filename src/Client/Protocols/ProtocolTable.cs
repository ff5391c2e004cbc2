using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Echo;
using IpcBench.Client.Protocols.Grpc;
using IpcBench.Client.Protocols.Http1;
using IpcBench.Client.Protocols.Http2;
using IpcBench.Client.Protocols.InOrder;
using IpcBench.Http2;
using IpcBench.Transports;

namespace IpcBench.Client.Protocols;

/// <summary>The clients and the protocols that each speaks: one line each.</summary>
internal static partial class ProtocolTable
{
    /// <summary>Client implementations.</summary>
    public const string Wire = "wire", GrpcDotnet = "grpc-dotnet";

    /// <summary>Protocols: what a call is on the wire.</summary>
    public const string Grpc = "grpc", Http1 = "http1", Http2 = "http2", Echo = "echo";

    /// <summary>Bytes that a reply has beyond its payload, as a rule.</summary>
    private const int HeadRoom = 1024;

    /// <summary>Where this is spoken, a server may tell about itself by gRPC.</summary>
    public static bool IsGrpcServed(string protocol) => protocol is Grpc or Http2;

    /// <summary>Why there is no such client here, in one sentence; null when there is.</summary>
    public static string? Refusal(string client) => client switch
    {
        Wire => null,
        GrpcDotnet => GrpcDotnetVersion is not null ? null
            : "this build has no grpc-dotnet client, because a package that it needs could not be found when it was built: "
                + "dotnet build -p:GrpcDotnet=true says which",
        _ => $"there is no client '{client}': it is {Wire} or {GrpcDotnet}",
    };

    /// <summary>The version of Grpc.Net.Client in this build; null when it was not to be had.</summary>
    public static string? GrpcDotnetVersion => FindGrpcDotnet()?.Version;

    /// <summary>Opens the connections of a cell, ready to run windows of load over them.</summary>
    /// <inheritdoc cref="LoadGenerator.OpenAsync" path="/exception"/>
    /// <inheritdoc cref="ConnectionsAsync" path="/exception"/>
    public static async Task<LoadGenerator> OpenAsync(LoadOptions options, CancellationToken cancellation) =>
        await LoadGenerator.OpenAsync(options, await ConnectionsAsync(options, cancellation), cancellation);

    /// <exception cref="ArgumentException">There is no such client for this protocol.</exception>
    /// <exception cref="IOException">The address cannot be resolved.</exception>
    public static async Task<ConnectionSource> ConnectionsAsync(LoadOptions options, CancellationToken cancellation)
    {
        // What closes a connection after every call must leave the same traces behind as applications do.
        if (options.ConnectPerCall)
            options = options with { Connector = options.Connector with { ResetOnClose = false } };
        var source = (options.Client, options.Protocol) switch
        {
            (Wire, Grpc) => await OverHttp2Async(options, ForGrpc(options), cancellation),
            (Wire, Http2) => await OverHttp2Async(options, ForBare(options), cancellation),
            (Wire, Http1) => await OverHttp1Async(options, cancellation),
            (Wire, Echo) => await OverEchoAsync(options, cancellation),
            (GrpcDotnet, Grpc) => FindGrpcDotnet()?.Connections(options) ?? throw new ArgumentException(Refusal(options.Client)),
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

    /// <summary><c>Bench.Download</c>, or the method that was asked for.</summary>
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

    /// <summary>So many bytes without gRPC.</summary>
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
        var asked = options.Request ?? throw new ArgumentException("an HTTP/1.1 call has to ask for something", nameof(options));
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
            throw new ArgumentException("an echo of no bytes is no call", nameof(options));
        var dialer = await Dialer.ForAsync(options.Address, options.Connector, options.Size * options.Streams, cancellation);
        return dialer.Connections(scheduler =>
            new InOrderConnection(scheduler, dialer, new EchoProtocol((int)options.Size), options.Streams));
    }

    private static OptionalClient? FindGrpcDotnet()
    {
        OptionalClient? client = null;
        AddGrpcDotnet(ref client);
        return client;
    }

    // In the folder GrpcDotnet, where that is compiled.
    static partial void AddGrpcDotnet(ref OptionalClient? client);

    /// <summary>A client that not every build has.</summary>
    private sealed record OptionalClient(string Version, Func<LoadOptions, ConnectionSource> Connections);
}

/// <summary>What one cell's load is made of: how much, and what its calls are.</summary>
internal sealed record LoadOptions : EngineOptions
{
    public ConnectorOptions Connector { get; init; } = new();

    /// <summary>
    /// The client grpc-dotnet connects by LoopSockets; System.Net.Sockets otherwise. The client wire has its own loops where there are any.
    /// </summary>
    public bool OnLoops { get; init; }

    /// <summary>
    /// HTTP/2 receive window in bytes of a stream, and of a connection; null: large enough that flow control is not what is measured.
    /// </summary>
    public int? Http2Window { get; init; }

    /// <summary>The knobs that are not at their defaults and move the client, as text: a ceiling of the client holds for them.</summary>
    public string ClientSettings { get; init; } = "";

    /// <summary>One of <see cref="ProtocolTable"/>.</summary>
    public string Client { get; init; } = ProtocolTable.Wire;

    /// <summary>What a call is on the wire: one of <see cref="ProtocolTable"/>.</summary>
    public string Protocol { get; init; } = ProtocolTable.Grpc;

    /// <summary>The method that a gRPC call calls; null: <c>Bench.Download</c>.</summary>
    public GrpcCall? Call { get; init; }

    /// <summary>What a call of gRPC is: one of <see cref="CallMode"/>.</summary>
    public string Mode { get; init; } = CallMode.Unary;

    public override Flow Flow => CallMode.FlowOf(Mode);

    /// <summary>Messages of a stream, where a call is one, before another stream is opened; 0: one stream for all of the load.</summary>
    public long Messages { get; init; }

    /// <summary>A pulled payload comes in messages of so many bytes; 0: in one.</summary>
    public long Chunk { get; init; }

    /// <summary>What an HTTP/1.1 call asks for; null for other protocols.</summary>
    public HttpRequest? Request { get; init; }

    /// <summary>Open a connection for every call and close it afterwards; both belong to the call.</summary>
    public bool ConnectPerCall { get; init; }
}

/// <summary>What a call of gRPC is, as <c>--mode</c> has it.</summary>
internal static class CallMode
{
    /// <summary>A small request and a reply with the payload; the mode of everything else that is called.</summary>
    public const string Unary = "unary";

    /// <summary>A request with the payload and a small reply.</summary>
    public const string Upload = "upload";

    /// <summary>Messages on a stream that stays open, each answered before the stream's next is sent.</summary>
    public const string PingPong = "ping-pong";

    /// <summary>Messages to the server on a stream that stays open, as fast as they are taken.</summary>
    public const string Push = "push";

    /// <summary>Messages from the server on a stream that stays open.</summary>
    public const string Pull = "pull";

    /// <summary>All there are.</summary>
    public static IReadOnlyList<string> All { get; } = [Unary, Upload, PingPong, Push, Pull];

    /// <summary>What a call of somebody's method is, which follows from the method's kind.</summary>
    public static string Of(GrpcCall call) => (call.TakesStream, call.ReturnsStream) switch
    {
        (true, true) => PingPong,
        (true, false) => Push,
        (false, true) => Pull,
        _ => Unary,
    };

    /// <summary>A call is a message on a stream that outlives it.</summary>
    public static bool IsStream(string mode) => mode is PingPong or Push or Pull;

    /// <summary>Which way the messages go.</summary>
    public static Flow FlowOf(string mode) => mode switch
    {
        Push => Flow.Out,
        Pull => Flow.In,
        _ => Flow.Both,
    };

    /// <summary>The method of this tool's own service that is called, <c>package.Service/Method</c>.</summary>
    public static string MethodOf(string mode) => "ipcbench.v1.Bench/" + mode switch
    {
        Upload => "Upload",
        PingPong => "Echo",
        Push => "Push",
        Pull => "Pull",
        _ => "Download",
    };
}
