using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.LoopSockets;

/// <summary>
/// Opens connections of a client on event loops, for <see cref="System.Net.Http.SocketsHttpHandler.ConnectCallback"/>.
/// </summary>
public static class LoopSockets
{
    /// <summary>Whether the system has epoll. On other systems a connection is an ordinary <see cref="NetworkStream"/>.</summary>
    [SupportedOSPlatformGuard("linux")]
    public static bool IsSupported => EventLoop.IsSupported;

    /// <summary>
    /// Opens a connection on an event loop. Any thread may use the stream, with one read and one write at a time. After a
    /// read or a write, the caller's code continues on the thread pool.
    /// </summary>
    /// <param name="endPoint">An <see cref="IPEndPoint"/>, <see cref="DnsEndPoint"/> or <see cref="UnixDomainSocketEndPoint"/>.</param>
    /// <exception cref="IOException">The connection could not be opened.</exception>
    /// <exception cref="NotSupportedException">The end point is of another kind.</exception>
    public static async ValueTask<Stream> Connect(EndPoint endPoint, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(endPoint);
        Address address = endPoint switch
        {
            DnsEndPoint dns => new Address.Tcp(dns.Host, dns.Port),
            IPEndPoint ip => new Address.Tcp(ip.Address.ToString(), ip.Port),
            UnixDomainSocketEndPoint local => UnixAddress(local),
            _ => throw new NotSupportedException($"no sockets for {endPoint.GetType().Name}: name an IP, DNS or Unix socket end point"),
        };
        // A close must not reset the connection: a reset would drop bytes that the application has written and the
        // other side has not read yet.
        var options = new ConnectorOptions { ResetOnClose = false };
        Connector connector = IsSupported ? new PipedConnector(address, options) : Connector.For(address, options);
        return await connector.ConnectAsync(cancellation);
    }

    /// <summary>
    /// Opens a connection, with the signature of <see cref="System.Net.Http.SocketsHttpHandler.ConnectCallback"/>.
    /// </summary>
    public static ValueTask<Stream> Connect(SocketsHttpConnectionContext context, CancellationToken cancellation)
    {
        ArgumentNullException.ThrowIfNull(context);
        return Connect(context.DnsEndPoint, cancellation);
    }

    // An abstract name begins with NUL, which ToString() shows as @. But the path of a file may also begin with @. The
    // serialized end point shows the difference: for an abstract name, NUL follows the two bytes of the address family
    // (unix(7)).
    private static Address UnixAddress(UnixDomainSocketEndPoint endPoint)
    {
        var text = endPoint.ToString();
        return text is ['@', .. var name] && endPoint.Serialize()[2] == 0 ? new Address.UnixAbstract(name) : new Address.Unix(text);
    }
}
