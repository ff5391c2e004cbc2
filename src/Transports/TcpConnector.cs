using System.Net;
using System.Net.Sockets;

namespace IpcBench.Transports;

/// <summary>Connects over TCP.</summary>
public sealed class TcpConnector(string host, int port, ConnectorOptions options) : Connector
{
    public override async ValueTask<Stream> ConnectAsync(CancellationToken cancellation)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = options.NoDelay };
        if (options.SocketBuffer is { } size)
            (socket.SendBufferSize, socket.ReceiveBufferSize) = (size, size);
        try
        {
            await socket.ConnectAsync(new DnsEndPoint(host, port), cancellation);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch (SocketException e)
        {
            socket.Dispose();
            // Linux and Windows have different errors for it: EADDRNOTAVAIL, WSAEADDRINUSE and WSAENOBUFS.
            var noPort = e.SocketErrorCode
                is SocketError.AddressNotAvailable or SocketError.AddressAlreadyInUse or SocketError.NoBufferSpaceAvailable;
            throw noPort
                ? new NoLocalPortException($"{host}:{port}", e)
                : new IOException($"cannot connect to {host}:{port}: {e.Message}", e);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
