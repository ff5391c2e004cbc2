using IpcBench.Server.Behaviors;
using IpcBench.Server.Echo;
using IpcBench.Transports;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace IpcBench.Server.Endpoints;

/// <summary>
/// The endpoint for an address of <c>--listen</c> or <c>--echo</c>. Its sockets are already bound, and new connections
/// wait until the server accepts them.
/// </summary>
internal abstract class ServerEndpoint(Address address, string? note, EndpointRole role) : IDisposable
{
    private static readonly TimeSpan Lingering = TimeSpan.FromSeconds(10);

    /// <summary>The address for clients, with the actual port.</summary>
    public Address Address { get; } = address;

    /// <summary>Text that a report must add to the name of this endpoint. Null when there is nothing to add.</summary>
    public string? Note { get; } = note;

    public EndpointCounters Counters { get; } = new();

    /// <inheritdoc cref="EndpointRole.Behavior"/>
    public EndpointBehavior Behavior => role.Behavior;

    /// <summary>Whether the endpoint sends all bytes back and speaks no gRPC.</summary>
    public bool IsEcho => role.IsEcho;

    /// <summary>True when the echo is answered without Kestrel: by an event loop or by tasks.</summary>
    public bool IsWithoutKestrel => role.IsWithoutKestrel;

    /// <summary>The bound sockets. Empty for named pipes of Windows and for children.</summary>
    public virtual IReadOnlyList<BoundSocket> Sockets => [];

    /// <summary>Adds the endpoint to Kestrel. Does nothing if Kestrel does not serve this endpoint.</summary>
    public abstract void AddTo(KestrelServerOptions kestrel);

    /// <summary>
    /// Removes the sockets' files, unless other servers have replaced them. Call this before the sockets are closed.
    /// </summary>
    public virtual void RemoveFiles()
    {
    }

    public abstract void Dispose();

    /// <summary>
    /// Adds the layers of a connection, and the handlers of an echo and of JSON-RPC. Kestrel serves all other connections as HTTP/2.
    /// </summary>
    protected void Configure(ListenOptions listen)
    {
        AddLayers(listen);
        if (IsEcho)
            listen.Run(connection => EchoHandler.RunAsync(connection, Behavior == EndpointBehavior.None ? null : Behavior.HoldAsync));
        else if (role.JsonRpc is { } handler)
            listen.Use(next => connection => handler.RunAsync(connection, next, Behavior, Counters.CallAnswered));
        if (!IsEcho)
            listen.Use(next => connection => ServeAsync(next(connection), connection.ConnectionClosed));
    }

    /// <summary>Adds the layers of every connection. Derived endpoints add their layers after these.</summary>
    protected virtual void AddLayers(ListenOptions listen)
    {
        // Without TLS there is no ALPN. An endpoint that also offered HTTP/1.1 would then drop HTTP/2 without an error.
        listen.Protocols = HttpProtocols.Http2;
        listen.Use(next => connection =>
        {
            connection.Features.Set(this);
            return CountAsync(next, connection);
        });
    }

    private async Task CountAsync(ConnectionDelegate next, ConnectionContext connection)
    {
        Counters.ConnectionOpened();
        try
        {
            await next(connection);
        }
        finally
        {
            Counters.ConnectionClosed();
        }
    }

    // Kestrel's HTTP/2 (ASP.NET Core 10.0) has a fault: of the connections that reset thousands of calls and then
    // close, about one in a hundred never ends, although all its calls have ended. Such a connection would count
    // against the limit of connections for ever. So the server stops waiting for HTTP/2 some time after the client has closed its
    // side. An echo and JSON-RPC still answer then.
    private static async Task ServeAsync(Task serving, CancellationToken closed)
    {
        await serving.WaitAsync(closed).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (!serving.IsCompleted)
            await serving.WaitAsync(Lingering, CancellationToken.None).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (serving.IsCompleted) // otherwise nobody waits for the connection from now on, and it no longer counts as open
            await serving;
    }
}

/// <summary>
/// Counts what one endpoint has served since the start of the server. Any thread may use this object.
/// </summary>
internal sealed class EndpointCounters
{
    private long calls;
    private long opened;
    private long closed;

    /// <summary>How many Bench calls, requests for bytes and JSON-RPC tool calls ended with OK, plus the messages of streams.</summary>
    public long Calls => Interlocked.Read(ref calls);

    public long ConnectionsOpened => Interlocked.Read(ref opened);

    public long ConnectionsOpen
    {
        get
        {
            // The closed connections are read first. Otherwise a connection that opens and closes between the two reads
            // could make the result negative.
            var closed = Interlocked.Read(ref this.closed);
            return Interlocked.Read(ref opened) - closed;
        }
    }

    public void CallAnswered() => Interlocked.Increment(ref calls);

    public void MessagesPassed(int count) => Interlocked.Add(ref calls, count);

    public void ConnectionOpened() => Interlocked.Increment(ref opened);

    public void ConnectionClosed() => Interlocked.Increment(ref this.closed);
}
