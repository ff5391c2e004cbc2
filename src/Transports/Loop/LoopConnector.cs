using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary>
/// Opens connections to a TCP or Unix socket address, or to child processes. An <see cref="EventLoop"/> watches the
/// connections.
/// </summary>
[SupportedOSPlatform("linux")]
public sealed class LoopConnector
{
    private readonly ConnectorOptions options;
    private readonly Address address;
    private EndPoint[] endPoints;
    private long retries;
    private volatile bool isServed;

    private LoopConnector(EndPoint[] endPoints, Address address, ConnectorOptions options) =>
        (this.endPoints, this.address, this.options) = (endPoints, address, options);

    /// <summary>How often an attempt to connect was repeated, because the accept queue was full.</summary>
    public long Retries => Interlocked.Read(ref retries);

    /// <summary>
    /// Makes the connector for the address. For TLS, the connector opens only the TCP connection. Null for a pipe,
    /// which .NET's pipe API opens, and for shared memory.
    /// </summary>
    /// <exception cref="IOException">The host name has no address.</exception>
    public static async Task<LoopConnector?> ForAsync(
        Address address, ConnectorOptions options, CancellationToken cancellation) => address switch
        {
            Address.Tcp tcp => new(await ResolveAsync(tcp, tcp.Host, tcp.Port, cancellation), tcp, options),
            Address.Tls tls => new(await ResolveAsync(tls, tls.Host, tls.Port, cancellation), tls, options),
            Address.Unix unix => new([UnixEndPoint(unix, unix.Path)], unix, options),
            Address.UnixAbstract local => new([UnixEndPoint(local, "\0" + local.Name)], local, options),
            Address.Child { Transport: not Address.Child.SharedMemory } child => new([], child, options),
            _ => null,
        };

    /// <summary>Opens one connection. Call this on the loop's thread, on which the caller's code also continues.</summary>
    /// <exception cref="IOException">The connection could not be opened. The message says why.</exception>
    public async ValueTask<LoopSocket> ConnectAsync(EventLoop loop, ILoopHandler handler, CancellationToken cancellation)
    {
        if (address is Address.Child child)
            return Take(Children.Start(child), loop, handler);
        var (error, hasPorts) = (0, false);
        foreach (var endPoint in endPoints)
        {
            hasPorts = isServed || endPoint.AddressFamily == AddressFamily.InterNetwork;
            var attempt = new LoopConnectAttempt(loop, endPoint, options);
            (var socket, error) = await attempt.RunAsync(cancellation);
            Interlocked.Add(ref retries, attempt.Retries);
            if (socket is not null)
            {
                socket.Handler = handler;
                isServed = true;
                // "localhost" may have two addresses, and the server may listen at only one of them. So later connects go
                // straight to this address.
                if (endPoints.Length > 1)
                    endPoints = [endPoint];
                return socket;
            }
        }
        cancellation.ThrowIfCancellationRequested();
        // For an IPv6 address, EADDRNOTAVAIL may also mean that the system has no IPv6. So the error counts as a lack
        // of ports only for IPv4, or when an earlier attempt to connect to the address has succeeded.
        throw error switch
        {
            Native.AddressNotAvailable when hasPorts => new NoLocalPortException(address),
            Native.NoEntry => CannotConnectException.NoSuchFile(address),
            _ => new CannotConnectException(address, Marshal.GetPInvokeErrorMessage(error)),
        };
    }

    // The connection owns the child.
    private LoopSocket Take(ChildProgram child, EventLoop loop, ILoopHandler handler)
    {
        var (input, output) = child.TakeDescriptors();
        if (input == output && options.SocketBuffer is { } size)
            LoopListener.SetBuffers(input, size);
        return new LoopSocket(loop, input, handler, output: input == output ? -1 : output, child: child);
    }

    private static async Task<EndPoint[]> ResolveAsync(Address address, string host, int port, CancellationToken cancellation)
    {
        if (IPAddress.TryParse(host, out var ip))
            return [new IPEndPoint(ip, port)];
        try
        {
            return [.. (await Dns.GetHostAddressesAsync(host, cancellation)).Select(address => new IPEndPoint(address, port))];
        }
        catch (SocketException e)
        {
            throw new CannotConnectException(address, e.Message, e);
        }
    }

    private static UnixDomainSocketEndPoint UnixEndPoint(Address address, string path)
    {
        try
        {
            return new(path);
        }
        catch (ArgumentOutOfRangeException e)
        {
            throw CannotConnectException.PathTooLong(address, e);
        }
    }
}
