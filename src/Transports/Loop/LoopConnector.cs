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
    private readonly Address address;
    private EndPoint[] endPoints;
    private long retries;
    private volatile bool isServed;

    private LoopConnector(EndPoint[] endPoints, Address address, ConnectorOptions options) =>
        (this.endPoints, this.address, this.options) = (endPoints, address, options);

    /// <summary>How often a connect was tried again because the accept queue was full.</summary>
    public long Retries => Interlocked.Read(ref retries);

    /// <summary>
    /// Makes the connector for the address. For TLS, it opens the TCP connection. Null when the transport is no socket (a pipe).
    /// </summary>
    /// <exception cref="IOException">The host name has no address.</exception>
    public static async Task<LoopConnector?> ForAsync(
        Address address, ConnectorOptions options, CancellationToken cancellation) => address switch
        {
            Address.Tcp tcp => new(await ResolveAsync(tcp, tcp.Host, tcp.Port, cancellation), tcp, options),
            Address.Tls tls => new(await ResolveAsync(tls, tls.Host, tls.Port, cancellation), tls, options),
            Address.Unix unix => new([UnixEndPoint(unix, unix.Path)], unix, options),
            Address.UnixAbstract local => new([UnixEndPoint(local, "\0" + local.Name)], local, options),
            _ => null,
        };

    /// <summary>Opens one connection. Call this on the loop's thread, where it also completes.</summary>
    /// <exception cref="IOException">The connection could not be opened. The message says why.</exception>
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
                // "localhost" may have two addresses, and the server may listen at only one of them. So later connects go
                // straight to this address.
                if (endPoints.Length > 1)
                    endPoints = [endPoint];
                return socket;
            }
        }
        cancellation.ThrowIfCancellationRequested();
        // For an IPv6 address, EADDRNOTAVAIL may also mean that the system has no IPv6. So the error proves a lack of
        // ports only for an address that worked before, and for IPv4.
        throw error switch
        {
            Native.AddressNotAvailable when hasPorts => new NoLocalPortException(address),
            Native.NoEntry => CannotConnect.NoSuchFile(address),
            _ => CannotConnect.Because(address, Marshal.GetPInvokeErrorMessage(error)),
        };
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
            throw CannotConnect.Because(address, e.Message, e);
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
            throw CannotConnect.PathTooLong(address, e);
        }
    }
}

/// <summary>
/// One connect, until the socket is writable, refused or given up. If the accept queue is full, the connect is tried again after 2 ms.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class LoopConnectAttempt(EventLoop loop, EndPoint endPoint, ConnectorOptions options) : ILoopHandler, ILoopTimer
{
    private const long RetryNs = 2_000_000;
    private const int TimedOut = 110; // ETIMEDOUT

    private readonly EventLoop loop = loop;
    private readonly TaskCompletionSource<int> ended = new();
    private LoopSocket? socket;
    private bool givenUp;

    public int Retries { get; private set; }

    /// <returns>The open socket and 0, or null and the errno.</returns>
    /// <exception cref="IOException">epoll cannot watch another descriptor.</exception>
    public async ValueTask<(LoopSocket? Socket, int Error)> RunAsync(CancellationToken cancellation)
    {
        Begin();
        if (!ended.Task.IsCompleted)
        {
            var registration = cancellation.UnsafeRegister(
                static state => ((LoopConnectAttempt)state!).loop.Post(static attempt => ((LoopConnectAttempt)attempt!).GiveUp(), state),
                this);
            try
            {
                await ended.Task;
            }
            finally
            {
                // Dispose would wait for a running callback, and the code would then continue on another thread than the loop's.
                registration.Unregister();
            }
        }
        var error = await ended.Task;
        if (error != 0)
            socket?.Close();
        return (error == 0 ? socket : null, error);
    }

    public void OnReadable() => OnWritable();

    public void OnWritable() => ended.TrySetResult(socket!.TakeError());

    public void OnDue()
    {
        if (!givenUp)
            Begin();
    }

    private void Begin()
    {
        var error = LoopSocket.BeginConnect(endPoint, options, out var fd);
        if (error is Native.Again)
        {
            Native.Close(fd);
            Retries++;
            loop.Schedule(MonotonicClock.NowNs + RetryNs, this);
        }
        else if (error is 0 or Native.InProgress)
        {
            try
            {
                socket = new LoopSocket(loop, fd, this);
            }
            catch (IOException e)
            {
                ended.TrySetException(e); // set here, since a retry runs in a timer, which must not throw
                return;
            }
            if (error == 0)
                ended.TrySetResult(0);
            else
                socket.WantWritable();
        }
        else
        {
            if (fd >= 0)
                Native.Close(fd);
            ended.TrySetResult(error);
        }
    }

    private void GiveUp()
    {
        givenUp = true;
        ended.TrySetResult(TimedOut);
    }
}
