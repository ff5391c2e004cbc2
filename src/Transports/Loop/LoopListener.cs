using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary>
/// A listening socket that an <see cref="EventLoop"/> watches while somebody waits for its next connection. Accepting and arming are for
/// any thread; the socket itself stays its owner's, who closes it after <see cref="Forget"/>.
/// </summary>
[SupportedOSPlatform("linux")]
public sealed unsafe class LoopListener : IWatched
{
    // The runtime cannot start a thread or load an assembly without a descriptor: it ends the process ("Out of memory"), or a timer never
    // comes. So the last ones are not accepted into.
    private const int MostReserved = 32;

    private readonly EventLoop loop;
    private readonly Action onReady;
    private readonly int fd;
    private readonly ulong key;
    private readonly int slot;
    private volatile bool forgotten;
    private bool fewAreLeft;

    /// <summary>On the loop's thread only.</summary>
    /// <param name="loop">Watches it.</param>
    /// <param name="listening">Bound and listening already.</param>
    /// <param name="onReady">Called on the loop's thread, once for each <see cref="Arm"/>, when a connection waits; must not throw.</param>
    public LoopListener(EventLoop loop, Socket listening, Action onReady)
    {
        (this.loop, this.onReady) = (loop, onReady);
        listening.Blocking = false;
        fd = (int)listening.Handle;
        (key, slot) = loop.Epoll.AddListener(this, fd);
    }

    /// <summary>Accepts a connection that waits.</summary>
    /// <returns>
    /// Its descriptor, or an errno negated: <see cref="LoopSocket.WouldBlock"/> when none waits, EMFILE already while the runtime still has
    /// some descriptors for itself.
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
            // A connection that was gone before it was accepted (accept(2), "Error handling").
            if (Marshal.GetLastPInvokeError() is not (Native.Interrupted or Native.ConnectionAborted) and var error)
                return -error;
        }
    }

    /// <summary>Asks for one call when a connection waits, at once if one does.</summary>
    public void Arm() => loop.Epoll.Arm(key, fd);

    /// <summary>Watches it no more; the socket may be closed afterwards. From any thread, not while another one arms it.</summary>
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

    /// <summary>Closes a descriptor that was accepted and is nobody's.</summary>
    public static void Discard(int accepted) => Native.Close(accepted);

    /// <summary>Sends small parts at once (TCP_NODELAY); what is no TCP socket ignores it.</summary>
    public static void SetNoDelay(int accepted)
    {
        var on = 1;
        Native.SetSocketOption(accepted, Native.IpProtoTcp, Native.TcpNoDelay, &on, sizeof(int));
    }

    /// <summary>SO_SNDBUF and SO_RCVBUF, in bytes.</summary>
    public static void SetBuffers(int accepted, int size)
    {
        Native.SetSocketOption(accepted, Native.SolSocket, Native.SoSendBuffer, &size, sizeof(int));
        Native.SetSocketOption(accepted, Native.SolSocket, Native.SoReceiveBuffer, &size, sizeof(int));
    }

    // A new descriptor is the lowest that is free (open(2)), so that all below it are taken.
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
