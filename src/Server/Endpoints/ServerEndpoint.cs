using System.Net;
using System.Net.Sockets;
using IpcBench.Server.Behaviors;
using IpcBench.Server.Echo;
using IpcBench.Transports;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace IpcBench.Server.Endpoints;

/// <summary>One <c>--listen</c> or <c>--echo</c>: an address that is already bound and waits for Kestrel to accept on it.</summary>
internal abstract class ServerEndpoint(Address address, string? note, EndpointRole role) : IDisposable
{
    private static readonly TimeSpan Lingering = TimeSpan.FromSeconds(10);

    /// <summary>As it can be given to a client: with the real port.</summary>
    public Address Address { get; } = address;

    /// <summary>What the reader of a report must know about this endpoint; null when it is what its name says.</summary>
    public string? Note { get; } = note;

    public EndpointCounters Counters { get; } = new();

    /// <inheritdoc cref="EndpointRole.Behavior"/>
    public EndpointBehavior Behavior => role.Behavior;

    /// <summary>Bytes are returned as they come; no gRPC.</summary>
    public bool IsEcho => role.IsEcho;

    /// <summary>Its echo is answered by an event loop or by tasks of its own: Kestrel knows nothing of it.</summary>
    public bool IsWithoutKestrel => role.IsWithoutKestrel;

    /// <summary>The sockets that are bound and not yet handed to Kestrel.</summary>
    public virtual IReadOnlyList<BoundSocket> Sockets => [];

    /// <summary>Tells Kestrel to accept here.</summary>
    public abstract void AddTo(KestrelServerOptions kestrel);

    /// <summary>Removes the files of this endpoint's sockets that are still its own. Before the sockets are closed.</summary>
    public virtual void RemoveFiles()
    {
    }

    public abstract void Dispose();

    /// <summary>All layers of a connection here, and at their end what it speaks.</summary>
    protected void Configure(ListenOptions listen)
    {
        AddLayers(listen);
        if (IsEcho)
            listen.Run(connection => EchoHandler.RunAsync(connection, Behavior == EndpointBehavior.None ? null : Behavior.HoldAsync));
    }

    /// <summary>What holds for a connection of any kind; derived endpoints add their layers after it.</summary>
    protected virtual void AddLayers(ListenOptions listen)
    {
        // Without TLS there is no ALPN: an endpoint that offered HTTP/1.1 too would silently drop HTTP/2.
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
            await ServeAsync(next(connection), connection.ConnectionClosed);
        }
        finally
        {
            Counters.ConnectionClosed();
        }
    }

    // Of connections that reset thousands of calls and go away, about one in a hundred never ends in Kestrel's HTTP/2 (ASP.NET Core 10.0),
    // although every call on it has. Each would count against the limit of connections for ever: let go of it once its socket is closed.
    private static async Task ServeAsync(Task serving, CancellationToken closed)
    {
        try
        {
            await serving.WaitAsync(closed);
        }
        catch (OperationCanceledException) when (!serving.IsCompleted)
        {
            await LingerAsync(serving);
        }
    }

    private static async Task LingerAsync(Task serving)
    {
        try
        {
            await serving.WaitAsync(Lingering);
        }
        catch (TimeoutException) when (!serving.IsCompleted)
        {
            // It is waited for no longer, and no longer counted.
        }
    }
}

/// <summary>What one endpoint has served since the start. Any thread may count.</summary>
internal sealed class EndpointCounters
{
    private long calls;
    private long opened;
    private long closed;

    /// <summary>Bench calls and requests for bytes answered with OK, and messages of streams.</summary>
    public long Calls => Interlocked.Read(ref calls);

    public long ConnectionsOpened => Interlocked.Read(ref opened);

    public long ConnectionsOpen
    {
        get
        {
            // Closed first: a connection that comes and goes in between must not make this negative.
            var closed = Interlocked.Read(ref this.closed);
            return Interlocked.Read(ref opened) - closed;
        }
    }

    public void CallAnswered() => Interlocked.Increment(ref calls);

    public void MessagesPassed(int count) => Interlocked.Add(ref calls, count);

    public void ConnectionOpened() => Interlocked.Increment(ref opened);

    public void ConnectionClosed() => Interlocked.Increment(ref this.closed);
}

/// <summary>A socket that listens already, and the end point under which Kestrel asks for it.</summary>
/// <param name="EndPoint">Where it listens.</param>
/// <param name="Socket">The socket itself.</param>
/// <param name="File">The socket's file, where it is this program that removes it.</param>
/// <param name="IsPrivate">No other user of this machine can connect.</param>
internal sealed record BoundSocket(EndPoint EndPoint, Socket Socket, OwnSocketFile? File = null, bool IsPrivate = false) : IDisposable
{
    /// <summary>The file first: its number is not given to another as long as the socket lives.</summary>
    public void Dispose()
    {
        File?.Remove();
        Socket.Dispose();
    }
}
