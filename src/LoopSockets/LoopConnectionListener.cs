using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using IpcBench.Transports.Loop;
using Microsoft.AspNetCore.Connections;

namespace IpcBench.LoopSockets;

/// <summary>Accepts connections of one listening socket and gives them to the loops in turn.</summary>
[SupportedOSPlatform("linux")]
internal sealed class LoopConnectionListener : IConnectionListener, ILoopTimer
{
    // The time to wait after an accept that failed for lack of descriptors or memory.
    private const long RetryNs = 50_000_000;

    private readonly Socket socket;
    private readonly Func<LoopThread> next;
    private readonly bool noDelay;
    private readonly Action<string> onFailure;
    private readonly Lock gate = new();
    private readonly EventLoop loop;
    private readonly LoopListener listener;
    private TaskCompletionSource? ready;
    private bool isUnbound;
    private bool hasFailed;

    private LoopConnectionListener(Socket socket, EventLoop loop, Func<LoopThread> next, bool noDelay, Action<string> onFailure)
    {
        (this.socket, this.loop, this.next, this.onFailure) = (socket, loop, next, onFailure);
        this.noDelay = noDelay && socket.ProtocolType == ProtocolType.Tcp;
        EndPoint = socket.LocalEndPoint!;
        listener = new LoopListener(loop, socket, OnReady);
    }

    public EndPoint EndPoint { get; }

    /// <summary>Accepts on a socket that listens. The listener closes the socket in the end.</summary>
    /// <param name="next">Returns the loop of the next connection.</param>
    /// <param name="noDelay">Whether to set TCP_NODELAY.</param>
    /// <param name="onFailure">Gets the reason when nothing can be accepted, once until something was accepted again.</param>
    public static Task<LoopConnectionListener> StartAsync(
        Socket socket, Func<LoopThread> next, bool noDelay, Action<string> onFailure)
    {
        var loop = next().Loop;
        var made = new TaskCompletionSource<LoopConnectionListener>(TaskCreationOptions.RunContinuationsAsynchronously);
        loop.Post(_ =>
        {
            try
            {
                made.SetResult(new LoopConnectionListener(socket, loop, next, noDelay, onFailure));
            }
            catch (Exception e) when (e is IOException or SocketException)
            {
                made.SetException(e);
            }
        }, null);
        return made.Task;
    }

    public async ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default)
    {
        while (true)
        {
            var (descriptor, ready) = Accept();
            if (ready is not null)
                await ready.WaitAsync(cancellationToken);
            else if (descriptor is null)
                return null;
            else if (TryOpen(descriptor.Value) is { } connection)
                return connection;
        }
    }

    // The calling thread unbinds. The loop's thread is not used, because an application may block it.
    public ValueTask UnbindAsync(CancellationToken cancellationToken = default)
    {
        lock (gate)
        {
            if (isUnbound)
                return ValueTask.CompletedTask;
            isUnbound = true;
            listener.Forget();
            socket.Dispose();
            ready?.TrySetResult();
        }
        return ValueTask.CompletedTask;
    }

    public ValueTask DisposeAsync() => UnbindAsync(CancellationToken.None);

    /// <summary>Called when there may be descriptors again.</summary>
    void ILoopTimer.OnDue() => OnReady();

    /// <summary>
    /// Accepts a connection. Returns a descriptor, or a task to wait for when there is no connection yet, or neither when
    /// there will be none.
    /// </summary>
    private (int? Descriptor, Task? Ready) Accept()
    {
        // The lock keeps the socket open, because the number of a closed socket may belong to another file.
        lock (gate)
        {
            if (isUnbound)
                return (null, null);
            var descriptor = listener.TryAccept();
            if (descriptor >= 0)
            {
                hasFailed = false;
                return (descriptor, null);
            }
            ready = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            if (descriptor == LoopSocket.WouldBlock)
            {
                listener.Arm();
                return (null, ready.Task);
            }
            if (!hasFailed)
                onFailure(LoopSocket.Describe(descriptor));
            hasFailed = true;
            loop.Post(static state => ((LoopConnectionListener)state!).RetryLater(), this);
            return (null, ready.Task);
        }
    }

    // The loop's own timer is used. A timer of the framework may need a new thread, which needs a descriptor.
    private void RetryLater() => loop.Schedule(MonotonicClock.NowNs + RetryNs, this);

    /// <summary>Opens the connection. Null when the connection ended before anybody looked at it.</summary>
    private LoopConnection? TryOpen(int descriptor)
    {
        if (noDelay)
            LoopListener.SetNoDelay(descriptor);
        var handle = new SafeSocketHandle(descriptor, ownsHandle: true);
        try
        {
            return LoopConnection.Open(next(), new Socket(handle));
        }
        catch (SocketException)
        {
            handle.Dispose();
            return null;
        }
    }

    private void OnReady()
    {
        lock (gate)
            ready?.TrySetResult();
    }
}
