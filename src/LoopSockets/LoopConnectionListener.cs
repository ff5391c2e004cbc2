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
    // The pause after a failed accept. The usual cause is that file descriptors or memory have run out.
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

    /// <summary>
    /// Makes the listener for a socket that already listens. The listener owns the socket and closes it.
    /// </summary>
    /// <param name="next">Returns the loop of the next connection.</param>
    /// <param name="noDelay">Whether to set TCP_NODELAY.</param>
    /// <param name="onFailure">
    /// Called with the reason when an accept fails. Further failures are not reported until an accept has succeeded again.
    /// </param>
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

    // Unbinding does not wait for the loop's thread, because an application may block that thread.
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

    /// <summary>Called after the pause that follows a failed accept. There may be free descriptors again.</summary>
    void ILoopTimer.OnDue() => OnReady();

    /// <summary>
    /// Accepts a waiting connection and returns its descriptor. If no connection waits, or the accept fails, returns a
    /// task that ends when the next attempt is due. After the listener was unbound, returns neither a descriptor nor a
    /// task.
    /// </summary>
    private (int? Descriptor, Task? Ready) Accept()
    {
        // While this thread holds the lock, no thread can close the socket. After a close, the number of the descriptor
        // may belong to another file.
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

    // The loop's own timer is used, because a timer of the framework may need a new thread, and a new thread needs a
    // free descriptor.
    private void RetryLater() => loop.Schedule(MonotonicClock.NowNs + RetryNs, this);

    /// <summary>Opens the connection. Null when the connection has ended already.</summary>
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
