using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary>
/// One attempt to open a connection. The attempt ends when the connection is open, when it is refused, or when the
/// caller gives up. If the accept queue is full, connect(2) is called again after 2 ms.
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
    /// <exception cref="IOException">epoll refused to watch the socket.</exception>
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
                // Dispose would block the loop's thread while the callback runs. DisposeAsync would let this method
                // continue on another thread than the loop's.
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
        var error = Connect(out var fd);
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
                if (options.ResetOnClose && endPoint.AddressFamily != AddressFamily.Unix)
                    socket.ResetOnClose();
            }
            catch (IOException e)
            {
                ended.TrySetException(e); // not thrown, because a retry runs in a timer, which must not throw
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

    /// <summary>Creates a socket and starts its connect. Returns the errno of the connect: 0, EINPROGRESS, or a failure.</summary>
    private unsafe int Connect(out int fd)
    {
        var family = endPoint.AddressFamily switch
        {
            AddressFamily.Unix => Native.AfUnix,
            AddressFamily.InterNetworkV6 => Native.AfInet6,
            _ => Native.AfInet,
        };
        fd = Native.Socket(family, Native.StreamNonBlockingCloseOnExec, 0);
        if (fd < 0)
            return Marshal.GetLastPInvokeError();
        SetOptions(fd, family);
        var address = endPoint.Serialize();
        fixed (byte* start = address.Buffer.Span)
            return Native.Connect(fd, start, address.Size) == 0 ? 0 : Marshal.GetLastPInvokeError();
    }

    private void SetOptions(int fd, int family)
    {
        if (options.SocketBuffer is { } size)
            LoopListener.SetBuffers(fd, size);
        if (options.NoDelay && family != Native.AfUnix)
            LoopListener.SetNoDelay(fd);
    }
}
