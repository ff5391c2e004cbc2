using System.Net;
using System.Net.Sockets;

namespace IpcBench.Transports;

/// <summary>Connects over TCP. The messages of the exceptions name the address.</summary>
public sealed class TcpConnector(Address address, string host, int port, ConnectorOptions options) : Connector
{
    private volatile bool isServed;

    public override async ValueTask<Stream> ConnectAsync(CancellationToken cancellation)
    {
        Socket? socket = null;
        try
        {
            socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
            options.ApplyTo(socket);
            await socket.ConnectAsync(new DnsEndPoint(host, port), cancellation);
            isServed = true;
            return options.ResetOnClose ? new ResettingStream(socket) : new NetworkStream(socket, ownsSocket: true);
        }
        catch (SocketException e)
        {
            socket?.Dispose();
            // When no local port is free, Linux reports EADDRNOTAVAIL, and Windows reports WSAEADDRINUSE or WSAENOBUFS. For an IPv6
            // address, EADDRNOTAVAIL may also mean that the system has no IPv6.
            var isIPv6 = IPAddress.TryParse(host, out var ip) && ip.AddressFamily == AddressFamily.InterNetworkV6;
            var noPort = e.SocketErrorCode is SocketError.AddressAlreadyInUse or SocketError.NoBufferSpaceAvailable
                || (e.SocketErrorCode == SocketError.AddressNotAvailable && (isServed || !isIPv6));
            throw noPort ? new NoLocalPortException(address, e) : new CannotConnectException(address, e.Message, e);
        }
        catch
        {
            socket?.Dispose();
            throw;
        }
    }

    /// <summary>
    /// A stream whose disposal resets the connection. NetworkStream would shut the socket down first, which may
    /// leave the port in TIME_WAIT.
    /// </summary>
    private sealed class ResettingStream(Socket socket) : NetworkStream(socket, ownsSocket: false)
    {
        protected override void Dispose(bool disposing)
        {
            if (disposing)
                Socket.Close(timeout: 0);
            base.Dispose(disposing);
        }
    }
}

/// <summary>Connects to a Unix domain socket. A path that starts with NUL is a name in Linux's abstract namespace.</summary>
public sealed class UnixConnector(Address address, string path, ConnectorOptions options) : Connector
{
    private static readonly TimeSpan RetryAfter = TimeSpan.FromMilliseconds(2);

    private long retries;

    public override long Retries => Interlocked.Read(ref retries);

    public override async ValueTask<Stream> ConnectAsync(CancellationToken cancellation)
    {
        while (true)
        {
            try
            {
                return await TryConnectAsync(cancellation);
            }
            catch (SocketException e) when (e.SocketErrorCode is SocketError.WouldBlock or SocketError.TryAgain)
            {
                // The accept queue is full (unix(7), EAGAIN). Unlike with TCP, a connect to a Unix socket does not wait for room.
                Interlocked.Increment(ref retries);
                await Task.Delay(RetryAfter, cancellation);
            }
            catch (SocketException e)
            {
                throw path[0] != '\0' && !File.Exists(path)
                    ? CannotConnectException.NoSuchFile(address, e) : new CannotConnectException(address, e.Message, e);
            }
            catch (ArgumentOutOfRangeException e)
            {
                throw CannotConnectException.PathTooLong(address, e);
            }
        }
    }

    private async Task<Stream> TryConnectAsync(CancellationToken cancellation)
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            options.ApplyTo(socket);
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), cancellation);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
