using System.Net;
using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary>One connect, from the call until the socket is writable, refused or given up; a full accept queue is tried again.</summary>
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

    /// <returns>The open socket, or null and the errno.</returns>
    public async ValueTask<(LoopSocket? Socket, int Error)> RunAsync(CancellationToken cancellation)
    {
        Begin();
        if (!ended.Task.IsCompleted)
        {
            await using var registration = cancellation.UnsafeRegister(
                static state => ((LoopConnectAttempt)state!).loop.Post(static attempt => ((LoopConnectAttempt)attempt!).GiveUp(), state),
                this);
            await ended.Task;
        }
        var error = await ended.Task;
        if (error != 0)
            socket?.Close();
        return (error == 0 ? socket : null, error);
    }

    public void OnReadable(bool hangUp) => OnWritable();

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
            socket = new LoopSocket(loop, fd, this);
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
