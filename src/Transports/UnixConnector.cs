using System.Net.Sockets;

namespace IpcBench.Transports;

/// <summary>Connects to a Unix domain socket; a path that starts with a NUL is a name of Linux's abstract namespace.</summary>
public sealed class UnixConnector(string path, ConnectorOptions options) : Connector
{
    public override async ValueTask<Stream> ConnectAsync(CancellationToken cancellation)
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        if (options.SocketBuffer is { } size)
            (socket.SendBufferSize, socket.ReceiveBufferSize) = (size, size);
        try
        {
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), cancellation);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch (SocketException e)
        {
            socket.Dispose();
            throw new IOException($"cannot connect to unix:{path.Replace('\0', '@')}: {e.Message}", e);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
