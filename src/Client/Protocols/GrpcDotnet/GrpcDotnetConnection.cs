using System.Reflection;
using Grpc.Net.Client;
using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Grpc;
using IpcBench.Protocol.V1;
using IpcBench.Transports;

namespace IpcBench.Client.Protocols.GrpcDotnet;

/// <summary>
/// A channel of Grpc.Net.Client that uses one connection. The library would connect only at the first call. So this
/// class opens the connection earlier and gives the open <see cref="Stream"/> to the library. In this way the tool can
/// measure the time to connect, and can distinguish a failure to connect from a failed call.
/// </summary>
internal sealed class GrpcDotnetConnection : IConnection
{
    private readonly Connector connector;
    private readonly Reopener reopener;
    private readonly GrpcChannel channel;
    private readonly GrpcDotnetStream[] streams;
    private readonly CancellationTokenSource disposing = new();
    private readonly Lock gate = new();
    private readonly List<TaskCompletionSource<bool>> waiting = [];
    private Stream? opened;
    private bool accepting;
    private bool isFirstDue;
    private int reconnects;
    private volatile int opening;

    /// <param name="scheduler">Runs the pauses between attempts to reopen the connection.</param>
    /// <param name="options">The address, the number of streams, the flow, and the payload size of a Download or a Pull.</param>
    /// <param name="upload">The payload that calls send. Null for Download and for the user's method.</param>
    /// <param name="stream">
    /// Null for unary calls. For streams, the number of messages after which a new stream is opened (0 means no
    /// limit), and the bytes of each message of a pulled payload (0 means that a payload is one message).
    /// </param>
    /// <param name="call">The user's method. Null for methods of Bench.</param>
    /// <param name="notes">Receives the server's messages about failed calls.</param>
    /// <param name="connector">Opens the transport, without TLS.</param>
    /// <param name="settings">Options of TLS. The library's handler does the TLS on top of the transport.</param>
    /// <param name="http2Window">Initial receive window of a stream, 65,535 bytes to 16 MiB. Null means the library's default.</param>
    public GrpcDotnetConnection(
        Scheduler scheduler, EngineOptions options, Payload? upload, (long Messages, long Chunk)? stream, GrpcCall? call,
        FailureNotes notes, Connector connector, ConnectorOptions settings, int? http2Window)
    {
        (this.connector, reopener, Notes) = (connector, new Reopener(scheduler, OpenAsync), notes);
        channel = GrpcChannel.ForAddress(Target(options.Address, call?.Authority, settings.ServerName), new GrpcChannelOptions
        {
            HttpHandler = Handler(options.Address, settings, http2Window),
            DisposeHttpClient = true,
            MaxReceiveMessageSize = null,
        });
        var (client, request) = (new Bench.BenchClient(channel), new DownloadRequest { Size = options.Size });
        var method = call is null ? null : new GrpcDotnetMethod(channel.CreateCallInvoker(), call, notes);
        streams = [.. Enumerable.Range(0, options.Streams).Select<int, GrpcDotnetStream>(_ => (stream, options.Flow) switch
        {
            ({ } each, Flow.Out) => new GrpcDotnetPush(this, client, upload!, each.Messages),
            ({ } each, Flow.In) => new GrpcDotnetPull(this, client, options.Size, each.Chunk, each.Messages),
            ({ } each, _) => new GrpcDotnetMessages(this, client, upload!, each.Messages),
            _ => new GrpcDotnetCalls(this, client, request, upload, method),
        })];
    }

    /// <summary>The server's messages about failed calls.</summary>
    public FailureNotes Notes { get; }

    /// <summary>The version of the package Grpc.Net.Client, without the commit.</summary>
    public static string LibraryVersion { get; } = typeof(GrpcChannel).Assembly
        .GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion.Split('+')[0] ?? "unknown";

    /// <summary>False when the connection is for one call. Such a connection is not opened again after a failure.</summary>
    public bool Reopens { get; init; } = true;

    public IReadOnlyList<IStream> Streams => streams;

    public bool IsOpen { get; private set; }

    /// <summary>The number of the present connection: 1 for the first, and one more each time that a new connection was opened.</summary>
    public int Opening => opening;

    public int Reopened => reopener.Reopened + Volatile.Read(ref reconnects);

    // StreamsAllowed is null: the library respects the server's limit but does not report it. When a call waits for a free
    // stream, the wait is part of its latency.

    public async Task OpenAsync(CancellationToken cancellation)
    {
        var stream = await connector.ConnectAsync(cancellation);
        if (Interlocked.Exchange(ref opened, stream) is { } unused)
            await unused.DisposeAsync();
        lock (gate)
        {
            IsOpen = true;
            opening++;
            Signal(true);
        }
        if (disposing.IsCancellationRequested && Interlocked.Exchange(ref opened, null) is { } late)
            await late.DisposeAsync();
    }

    public ValueTask<bool> ReadyAsync()
    {
        lock (gate)
        {
            // A connection for one call is not opened again, so there is no reopening to wait for.
            if (IsOpen || !accepting || !Reopens)
                return new(IsOpen && accepting);
            var ready = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
            waiting.Add(ready);
            return new(ready.Task);
        }
    }

    /// <summary>Called when a call has found that the connection is dead. No more calls are sent before a new connection is open.</summary>
    /// <param name="on">The <see cref="Opening"/> of the call. Other calls on the same connection may find its death later.</param>
    public void Lost(int on)
    {
        lock (gate)
        {
            if (!IsOpen || on != opening || disposing.IsCancellationRequested)
                return;
            IsOpen = false;
        }
        if (Reopens)
            reopener.OnDeath();
    }

    public void OnSuccess() => reopener.OnSuccess();

    public void OnWindow() => isFirstDue = true;

    public void SetAccepting(bool accepting)
    {
        isFirstDue = accepting;
        lock (gate)
        {
            this.accepting = accepting;
            if (!accepting)
                Signal(false);
        }
        foreach (var stream in accepting ? [] : streams.OfType<GrpcDotnetPull>())
            stream.StopWaiting();
    }

    /// <summary>Returns true for the first call of a window on this connection. The reply to that call is checked.</summary>
    public bool TakesFirstReply() => isFirstDue && Interlocked.Exchange(ref isFirstDue, false);

    /// <summary>Tells the connection to check the reply to its next call, because the checked call has failed.</summary>
    public void LookAtNext() => isFirstDue = true;

    public void CutOff(long sentBeforeNs)
    {
        foreach (var stream in streams)
            stream.CutOff(sentBeforeNs);
    }

    public async ValueTask DisposeAsync()
    {
        await disposing.CancelAsync();
        reopener.Stop();
        SetAccepting(false);
        channel.Dispose();
        if (Interlocked.Exchange(ref opened, null) is { } unused)
            await unused.DisposeAsync();
    }

    // The connector ignores the host of this URI. The library uses the host for :authority and as the server name of TLS.
    // A given server name therefore has priority over a given authority.
    private static string Target(Address address, string? authority, string? serverName) => (address, authority) switch
    {
        (Address.Tls tls, _) when serverName is { } name => new UriBuilder("https", name, tls.Port).ToString(),
        (Address.Tls, { } asked) => "https://" + asked,
        (_, { } asked) => "http://" + asked,
        (Address.Tcp or Address.Tls, _) => address.ToString(),
        _ => "http://localhost",
    };

    private SocketsHttpHandler Handler(Address address, ConnectorOptions settings, int? http2Window)
    {
        var handler = new SocketsHttpHandler
        {
            ConnectCallback = async (_, cancellation) => Interlocked.Exchange(ref opened, null) ?? await ConnectAgainAsync(cancellation),
            PooledConnectionIdleTimeout = Timeout.InfiniteTimeSpan,
            PooledConnectionLifetime = Timeout.InfiniteTimeSpan,
            UseProxy = false,
            AllowAutoRedirect = false,
            UseCookies = false,
        };
        if (http2Window is { } window)
            handler.InitialHttp2StreamWindowSize = window;
        if (address is Address.Tls tls)
            handler.SslOptions = TlsConnector.Authentication(tls.Host, settings);
        return handler;
    }

    private async ValueTask<Stream> ConnectAgainAsync(CancellationToken cancellation)
    {
        var stream = await connector.ConnectAsync(cancellation);
        Interlocked.Increment(ref reconnects);
        return stream;
    }

    private void Signal(bool ready)
    {
        foreach (var waiter in waiting)
            waiter.SetResult(ready);
        waiting.Clear();
    }
}
