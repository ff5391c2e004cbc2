using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary>
/// A listening socket that an <see cref="EventLoop"/> watches while its owner waits for a connection. Any thread may
/// call <see cref="TryAccept"/> and <see cref="Arm"/>. The owner keeps the socket, and closes it after
/// <see cref="Forget"/>.
/// </summary>
[SupportedOSPlatform("linux")]
public sealed unsafe class LoopListener : IWatched
{
    // Without a free descriptor the runtime cannot start a thread or load an assembly. The runtime then ends the
    // process ("Out of memory"), or a timer never fires. So the last descriptors are not used for accepted connections.
    private const int MostReserved = 32;

    private readonly EventLoop loop;
    private readonly Action onReady;
    private readonly int fd;
    private readonly ulong key;
    private readonly int slot;
    private volatile bool forgotten;
    private bool fewAreLeft;

    /// <summary>Adds the socket to the loop. Only the loop's thread may call this.</summary>
    /// <param name="listening">A socket that is bound and listens.</param>
    /// <param name="onReady">
    /// Called on the loop's thread, once for each <see cref="Arm"/>, when a connection waits. It must not throw.
    /// </param>
    public LoopListener(EventLoop loop, Socket listening, Action onReady)
    {
        (this.loop, this.onReady) = (loop, onReady);
        listening.Blocking = false;
        fd = (int)listening.Handle;
        (key, slot) = loop.Epoll.AddListener(this, fd);
    }

    /// <summary>Accepts a waiting connection.</summary>
    /// <returns>
    /// The descriptor of the connection, or a negated errno. <see cref="LoopSocket.WouldBlock"/> means that no connection
    /// waits. EMFILE means that only the descriptors reserved for the runtime are left.
    /// </returns>
    public int TryAccept()
    {
        if (fewAreLeft && IsReserved(LowestFree()))
            return -Native.TooManyOpenFiles;
        while (true)
        {
            var accepted = Native.Accept(fd, null, null, Native.NonBlockingCloseOnExec);
            if (accepted >= 0)
            {
                fewAreLeft = IsReserved(accepted + 1);
                return accepted;
            }
            // Tries again after ECONNABORTED: the client closed the connection too early (accept(2)).
            if (Marshal.GetLastPInvokeError() is not (Native.Interrupted or Native.ConnectionAborted) and var error)
                return -error;
        }
    }

    /// <summary>Asks for one call of <c>onReady</c>, at once if a connection already waits. Any thread may call this.</summary>
    public void Arm() => loop.Epoll.Arm(key, fd);

    /// <summary>
    /// Stops watching, so that the owner may close the socket. Any thread may call this, but not while another thread
    /// calls <see cref="Arm"/>.
    /// </summary>
    public void Forget()
    {
        if (forgotten)
            return;
        forgotten = true;
        loop.Epoll.Ignore(fd);
        if (loop.IsCurrent)
            loop.Epoll.RemoveListener(slot);
        else
            loop.Post(static state => ((LoopListener)state!).Remove(), this);
    }

    private void Remove() => loop.Epoll.RemoveListener(slot);

    /// <summary>Closes an accepted descriptor that has no owner yet.</summary>
    public static void Discard(int accepted) => Native.Close(accepted);

    /// <summary>Makes a TCP socket send small parts at once (TCP_NODELAY). A Unix socket ignores the option.</summary>
    public static void SetNoDelay(int accepted)
    {
        var on = 1;
        Native.SetSocketOption(accepted, Native.IpProtoTcp, Native.TcpNoDelay, &on, sizeof(int));
    }

    /// <summary>Sets SO_SNDBUF and SO_RCVBUF, in bytes.</summary>
    public static void SetBuffers(int accepted, int size)
    {
        Native.SetSocketOption(accepted, Native.SolSocket, Native.SoSendBuffer, &size, sizeof(int));
        Native.SetSocketOption(accepted, Native.SolSocket, Native.SoReceiveBuffer, &size, sizeof(int));
    }

    // A new descriptor gets the lowest free number (open(2)). So when its number is high, all lower numbers are in use.
    private static bool IsReserved(int descriptor)
    {
        var limit = default(Native.Limit);
        return descriptor < 0 || (Native.GetLimit(Native.OpenFiles, &limit) == 0
            && (ulong)descriptor + Math.Min(MostReserved, limit.Soft / 8) >= limit.Soft);
    }

    private int LowestFree()
    {
        var descriptor = Native.FileControl(fd, Native.DuplicateCloseOnExec, 0);
        if (descriptor >= 0)
            Native.Close(descriptor);
        return descriptor;
    }

    void IWatched.OnEvents(uint bits)
    {
        if (!forgotten)
            onReady();
    }
}
