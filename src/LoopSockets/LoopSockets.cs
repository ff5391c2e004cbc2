using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.LoopSockets;

/// <summary>Connections of a client on event loops, for <see cref="System.Net.Http.SocketsHttpHandler.ConnectCallback"/>.</summary>
public static class LoopSockets
{
    /// <summary>This system has epoll; where it is false, connecting gives an ordinary <see cref="NetworkStream"/>.</summary>
    [SupportedOSPlatformGuard("linux")]
    public static bool IsSupported => EventLoop.IsSupported;

    /// <summary>
    /// Connects by an event loop. Reads and writes of the stream are for any thread, one of each at a time; they continue on the thread
    /// pool.
    /// </summary>
    /// <param name="endPoint">An <see cref="IPEndPoint"/>, <see cref="DnsEndPoint"/> or <see cref="UnixDomainSocketEndPoint"/>.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <exception cref="IOException">Nobody answers there.</exception>
    /// <exception cref="NotSupportedException">It is another kind of end point.</exception>
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
        // A reset takes with it what an application wrote last and the other side has not read yet.
        var options = new ConnectorOptions { ResetOnClose = false };
        Connector connector = IsSupported ? new PipedConnector(address, options) : Connector.For(address, options);
        return await connector.ConnectAsync(cancellation);
    }

    /// <summary>The same, as <see cref="System.Net.Http.SocketsHttpHandler.ConnectCallback"/> has it.</summary>
    public static ValueTask<Stream> Connect(SocketsHttpConnectionContext context, CancellationToken cancellation)
    {
        ArgumentNullException.ThrowIfNull(context);
        return Connect(context.DnsEndPoint, cancellation);
    }

    // As text a name of the abstract namespace has @ in place of its NUL, as the name of a file may have it too. The NUL stands behind the
    // two bytes of the family (unix(7)).
    private static Address UnixAddress(UnixDomainSocketEndPoint endPoint)
    {
        var text = endPoint.ToString();
        return text is ['@', .. var name] && endPoint.Serialize()[2] == 0 ? new Address.UnixAbstract(name) : new Address.Unix(text);
    }
}
