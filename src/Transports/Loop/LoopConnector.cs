using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary>Opens connections of an <see cref="EventLoop"/> to a TCP or Unix socket address.</summary>
[SupportedOSPlatform("linux")]
public sealed class LoopConnector
{
    private readonly ConnectorOptions options;
    private readonly string shown;
    private EndPoint[] endPoints;
    private long retries;
    private volatile bool isServed;

    private LoopConnector(EndPoint[] endPoints, string shown, ConnectorOptions options) =>
        (this.endPoints, this.shown, this.options) = (endPoints, shown, options);

    /// <summary>Connects tried again because the accept queue was full.</summary>
    public long Retries => Interlocked.Read(ref retries);

    /// <summary>
    /// The connector for the address, or null when its bytes do not travel over a plain socket. TLS is a layer above its TCP.
    /// </summary>
    /// <exception cref="IOException">The host name has no address.</exception>
    public static async Task<LoopConnector?> ForAsync(
        Address address, ConnectorOptions options, CancellationToken cancellation) => address switch
    {
        Address.Tcp tcp => new(await ResolveAsync(tcp.Host, tcp.Port, cancellation), $"{tcp}", options),
        Address.Tls tls => new(await ResolveAsync(tls.Host, tls.Port, cancellation), $"{tls}", options),
        Address.Unix unix => new([UnixEndPoint(unix.Path)], $"{unix}", options),
        Address.UnixAbstract local => new([UnixEndPoint("\0" + local.Name)], $"{local}", options),
        _ => null,
    };

    /// <summary>Opens one connection; call it on the loop's thread, where it also completes.</summary>
    /// <exception cref="IOException">It could not be opened; the message says why not.</exception>
    public async ValueTask<LoopSocket> ConnectAsync(EventLoop loop, ILoopHandler handler, CancellationToken cancellation)
    {
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
                // "localhost" may be two addresses of which the server has one: the others need not search again.
                if (endPoints.Length > 1)
                    endPoints = [endPoint];
                return socket;
            }
        }
        cancellation.ThrowIfCancellationRequested();
        // Where there is no IPv6 its addresses are not available either, and that is no want of ports.
        throw error == Native.AddressNotAvailable && hasPorts
            ? new NoLocalPortException(shown)
            : new IOException($"cannot connect to {shown}: {Marshal.GetPInvokeErrorMessage(error)}");
    }

    private static async Task<EndPoint[]> ResolveAsync(string host, int port, CancellationToken cancellation)
    {
        if (IPAddress.TryParse(host, out var ip))
            return [new IPEndPoint(ip, port)];
        try
        {
            return [.. (await Dns.GetHostAddressesAsync(host, cancellation)).Select(address => new IPEndPoint(address, port))];
        }
        catch (SocketException e)
        {
            throw new IOException($"cannot connect to {host}:{port}: {e.Message}", e);
        }
    }

    private static UnixDomainSocketEndPoint UnixEndPoint(string path)
    {
        try
        {
            return new(path);
        }
        catch (ArgumentOutOfRangeException e)
        {
            throw new IOException($"cannot connect to unix:{path.Replace('\0', '@')}: the path is longer than the system allows", e);
        }
    }
}
