using System.Net;
using System.Net.Sockets;

namespace IpcBench.Transports;

/// <summary>Connects over TCP.</summary>
public sealed class TcpConnector(string host, int port, ConnectorOptions options) : Connector
{
    public override async ValueTask<Stream> ConnectAsync(CancellationToken cancellation)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
        try
        {
            options.ApplyTo(socket);
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

/// <summary>Connects to a Unix domain socket; a path that starts with a NUL is a name of Linux's abstract namespace.</summary>
public sealed class UnixConnector(string path, ConnectorOptions options) : Connector
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
                // The accept queue is full (unix(7), EAGAIN): a Unix socket does not wait for room as TCP does.
                Interlocked.Increment(ref retries);
                await Task.Delay(RetryAfter, cancellation);
            }
            catch (SocketException e)
            {
                // .NET has no name for ENOENT on a socket and says "Cannot assign requested address".
                var why = path[0] != '\0' && !File.Exists(path) ? "there is no such file" : e.Message;
                throw new IOException($"cannot connect to unix:{path.Replace('\0', '@')}: {why}", e);
            }
            catch (ArgumentOutOfRangeException e)
            {
                throw new IOException($"cannot connect to unix:{path.Replace('\0', '@')}: the path is longer than the system allows", e);
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

/// <summary>The file that the path of a <c>unix:</c> address names, the same for the server and every client.</summary>
public static class UnixSocketPath
{
    /// <summary>A full path. On Windows <c>/tmp/greeter.sock</c> is on the system drive, whatever the current drive is.</summary>
    public static string Resolve(string path) => Path.GetFullPath(
        OperatingSystem.IsWindows() ? OnDrive(path, Path.GetPathRoot(Environment.SystemDirectory) ?? @"C:\") : path);

    /// <summary>Puts a path that starts at the root of no drive onto <paramref name="root"/>, written as <c>C:\</c>.</summary>
    public static string OnDrive(string path, string root)
    {
        var isRooted = path is ['/' or '\\', not ('/' or '\\'), ..];
        return isRooted ? root + path[1..].Replace('/', '\\') : path;
    }
}
