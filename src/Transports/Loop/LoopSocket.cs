using System.Buffers;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary>
/// A non-blocking stream socket that one <see cref="EventLoop"/> watches. Used on the loop's thread only, but for sending and
/// <see cref="WantWritable"/>: those are for any one thread at a time that holds a lock against <see cref="Close"/>.
/// </summary>
[SupportedOSPlatform("linux")]
public sealed unsafe class LoopSocket : IWatched
{
    // What a gathering send pins in memory until it returns.
    [ThreadStatic]
    private static MemoryHandle[]? pinned;

    [ThreadStatic]
    private static ReadOnlyMemory<byte>[]? gathered;

    private const uint ReadInterest = Native.EpollIn | Native.EpollUrgent | Native.EpollReadHangUp | Native.EpollEdge;
    private const int Closed = -9; // EBADF

    private readonly EventLoop loop;
    private readonly int slot;
    private readonly bool isLocal;
    private readonly Socket? owner;
    private readonly SafeSocketHandle? handle;
    private int fd;
    private bool awaitsTurn;

    // There is more than bytes to find: the end, an error, or a mark before which a receive stops.
    private bool hasMore;
    private volatile bool writable = true;

    /// <exception cref="IOException">The system watches no more descriptors; this one is closed.</exception>
    internal LoopSocket(EventLoop loop, int fd, ILoopHandler handler, Socket? owner = null)
    {
        (this.loop, this.fd, Handler) = (loop, fd, handler);
        (this.owner, handle) = (owner, owner?.SafeHandle);
        isLocal = Option(Native.SoDomain) == Native.AfUnix;
        try
        {
            slot = loop.Epoll.Add(this, fd, ReadInterest);
        }
        catch (IOException)
        {
            CloseDescriptor();
            throw;
        }
    }

    /// <summary>Watches a connection that <see cref="LoopListener.TryAccept"/> gave. On the loop's thread only.</summary>
    /// <param name="loop">Watches it from now on.</param>
    /// <param name="descriptor">Belongs to this object from now on.</param>
    /// <param name="handler">Is told of events.</param>
    /// <exception cref="IOException">The system watches no more descriptors (fs.epoll.max_user_watches); this one is closed.</exception>
    public static LoopSocket Take(EventLoop loop, int descriptor, ILoopHandler handler) => new(loop, descriptor, handler);

    /// <summary>
    /// Watches a connection of the framework's, which is closed through its object: calls of others on that object are safe, and throw
    /// afterwards. On the loop's thread only.
    /// </summary>
    /// <param name="loop">Watches it from now on.</param>
    /// <param name="accepted">Does not block; belongs to this object from now on.</param>
    /// <param name="handler">Is told of events.</param>
    /// <exception cref="IOException">The system watches no more descriptors; this one is closed.</exception>
    public static LoopSocket Adopt(EventLoop loop, Socket accepted, ILoopHandler handler) =>
        new(loop, (int)accepted.Handle, handler, accepted);

    /// <summary>Who is told of events; may be replaced on the loop's thread.</summary>
    public ILoopHandler Handler { get; set; }

    /// <summary>
    /// Objects that the handler needs for the next bytes: of hundreds of connections none is in the processor's caches, which read them
    /// while the system copies the bytes. On the loop's thread.
    /// </summary>
    public object[] NeededSoon { get; set; } = [];

    public EventLoop Loop => loop;

    public bool IsClosed => fd < 0;

    /// <summary>
    /// The last <see cref="Receive"/> may have left something of which no event will tell: receive again. A receive that filled less than
    /// its buffer took all that there was (epoll(7), on edge-triggered reads of stream sockets), but for those that the system cuts short:
    /// before an urgent mark, and behind descriptors that somebody sent along.
    /// </summary>
    public bool MayHoldMore { get; private set; }

    /// <summary>Reads what has arrived.</summary>
    /// <returns>Bytes read, 0 at the end of the stream, or an errno negated: <see cref="WouldBlock"/> when nothing is there yet.</returns>
    public int Receive(Span<byte> buffer)
    {
        if (!Hold())
            return Closed;
        ProcessorCache.FetchAll(NeededSoon);
        fixed (byte* start = buffer)
        {
            var isCut = false;
            var count = isLocal ? ReceiveLocal(start, buffer.Length, out isCut) : Native.Receive(fd, start, buffer.Length, 0);
            var result = count >= 0 ? (int)count : -Marshal.GetLastPInvokeError();
            Release();
            loop.Received(result);
            hasMore &= result != WouldBlock;
            MayHoldMore = result > 0 && (result == buffer.Length || isCut || hasMore);
            return result;
        }
    }

    /// <summary>Sends as much as fits.</summary>
    /// <returns>Bytes sent, or an errno negated: <see cref="WouldBlock"/> when there is no room.</returns>
    public int Send(ReadOnlySpan<byte> bytes)
    {
        if (!Hold())
            return Closed;
        fixed (byte* start = bytes)
        {
            loop.Sent();
            var count = Native.Send(fd, start, bytes.Length, Native.MsgNoSignal);
            var result = count >= 0 ? (int)count : -Marshal.GetLastPInvokeError();
            Release();
            return result;
        }
    }

    /// <summary>The most segments that one <see cref="Send(in ReadOnlySequence{byte})"/> takes.</summary>
    public const int MostSegments = 64;

    /// <summary>Sends as much as fits of the first <see cref="MostSegments"/> segments, in one system call.</summary>
    /// <returns>As <see cref="Send(ReadOnlySpan{byte})"/>.</returns>
    public int Send(in ReadOnlySequence<byte> bytes)
    {
        if (bytes.IsSingleSegment)
            return Send(bytes.FirstSpan);
        var used = 0;
        var parts = gathered ??= new ReadOnlyMemory<byte>[MostSegments];
        foreach (var part in bytes)
        {
            parts[used] = part;
            if (++used == MostSegments)
                break;
        }
        return Send(parts.AsSpan(0, used));
    }

    /// <summary>Sends as much as fits of at most <see cref="MostSegments"/> parts, in one system call.</summary>
    /// <returns>As <see cref="Send(ReadOnlySpan{byte})"/>.</returns>
    public int Send(ReadOnlySpan<ReadOnlyMemory<byte>> parts)
    {
        if (!Hold())
            return Closed;
        var pins = pinned ??= new MemoryHandle[MostSegments];
        var segments = stackalloc Native.Segment[MostSegments];
        var used = 0;
        try
        {
            for (; used < parts.Length; used++)
            {
                pins[used] = parts[used].Pin();
                segments[used] = new Native.Segment { Start = (byte*)pins[used].Pointer, Length = parts[used].Length };
            }
            loop.Sent();
            var message = new Native.MessageHeader { Segments = segments, SegmentCount = used };
            var count = Native.SendMessage(fd, &message, Native.MsgNoSignal);
            return count >= 0 ? (int)count : -Marshal.GetLastPInvokeError();
        }
        finally
        {
            Release();
            for (var i = 0; i < used; i++)
                pins[i].Dispose();
        }
    }

    /// <summary>Tells the other side that nothing more will be sent, and with <paramref name="both"/> that nothing more is read.</summary>
    public void Shutdown(bool both)
    {
        if (fd >= 0)
            Native.Shutdown(fd, both ? Native.ShutdownBoth : Native.ShutdownSend);
    }

    /// <summary>Makes <see cref="Close"/> reset a TCP connection: what is still on its way is dropped.</summary>
    public void ResetOnClose()
    {
        var linger = stackalloc int[2] { 1, 0 };
        if (fd >= 0)
            Native.SetSocketOption(fd, Native.SolSocket, Native.SoLinger, linger, 2 * sizeof(int));
    }

    /// <summary>What <see cref="Receive"/> and sending return when they would have to wait.</summary>
    public const int WouldBlock = -Native.Again;

    /// <summary>
    /// A send returned this because the other side has ended the connection: a receive tells more, behind what has arrived before.
    /// </summary>
    public static bool IsOthersEnd(int result) => result is -Native.BrokenPipe or -Native.ConnectionReset;

    /// <summary>The system's words for a negative result of receiving or sending.</summary>
    public static string Describe(int result) => Marshal.GetPInvokeErrorMessage(-result);

    /// <summary>Asks for one <see cref="ILoopHandler.OnWritable"/> when there is room again.</summary>
    public void WantWritable()
    {
        // Only while it is needed: a Unix socket reports "writable" each time the other side takes a message (af_unix.c, unix_write_space).
        if (fd < 0 || !writable)
            return;
        writable = false;
        loop.Epoll.Watch(slot, fd, ReadInterest | Native.EpollOut);
    }

    /// <summary>Asks for one more <see cref="ILoopHandler.OnReadable"/> after the other sockets had theirs.</summary>
    public void ReadAgain()
    {
        if (awaitsTurn)
            return;
        awaitsTurn = true;
        loop.ReadAgain(this);
    }

    /// <summary>Closes the descriptor. A TCP socket with linger 0 is reset, so that it leaves no TIME_WAIT behind.</summary>
    public void Close()
    {
        if (fd < 0)
            return;
        loop.Epoll.Remove(slot);
        CloseDescriptor();
    }

    void IWatched.OnEvents(uint bits) => OnEvents(bits);

    /// <summary>The others had theirs.</summary>
    internal void OnTurn()
    {
        awaitsTurn = false;
        OnEvents(Native.EpollIn);
    }

    internal void OnEvents(uint bits)
    {
        if (fd >= 0 && (bits & Native.EpollOut) != 0 && !writable)
        {
            writable = true;
            loop.Epoll.Watch(slot, fd, ReadInterest);
            Handler.OnWritable();
        }
        hasMore |= (bits & (Native.EpollReadHangUp | Native.EpollHangUp | Native.EpollError | Native.EpollUrgent)) != 0;
        if (fd >= 0 && (bits & ~Native.EpollOut) != 0)
            Handler.OnReadable();
    }

    /// <summary>SO_ERROR: how a connect under way has ended; 0 when it succeeded.</summary>
    internal int TakeError() => Option(Native.SoError) is >= 0 and var error ? error : Marshal.GetLastPInvokeError();

    /// <summary>A new socket that has begun to connect, with the errno of that: 0, EINPROGRESS, or a failure.</summary>
    internal static int BeginConnect(EndPoint endPoint, ConnectorOptions options, out int fd)
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
        SetOptions(fd, family, options);
        var address = endPoint.Serialize();
        fixed (byte* start = address.Buffer.Span)
            return Native.Connect(fd, start, address.Size) == 0 ? 0 : Marshal.GetLastPInvokeError();
    }

    // recv(2) does not tell that descriptors were sent along, behind which it stops; they are dropped.
    private nint ReceiveLocal(byte* start, int length, out bool isCut)
    {
        var segment = new Native.Segment { Start = start, Length = length };
        var message = new Native.MessageHeader { Segments = &segment, SegmentCount = 1 };
        var count = Native.ReceiveMessage(fd, &message, 0);
        isCut = (message.Flags & Native.MsgControlTruncated) != 0;
        return count;
    }

    /// <summary>Keeps the descriptor from being closed by others until <see cref="Release"/>; false when it is closed.</summary>
    private bool Hold()
    {
        if (handle is null || fd < 0)
            return fd >= 0;
        var isHeld = false;
        try
        {
            handle.DangerousAddRef(ref isHeld);
        }
        catch (ObjectDisposedException)
        {
            // By an application, which was given the object to look at.
        }
        return isHeld;
    }

    private void Release() => handle?.DangerousRelease();

    private void CloseDescriptor()
    {
        if (owner is null)
            Native.Close(fd);
        else
            owner.Dispose();
        fd = -1;
    }

    private int Option(int name)
    {
        int value = 0, length = sizeof(int);
        return Native.GetSocketOption(fd, Native.SolSocket, name, &value, &length) < 0 ? -1 : value;
    }

    private static void SetOptions(int fd, int family, ConnectorOptions options)
    {
        if (options.SocketBuffer is { } size)
        {
            Set(fd, Native.SolSocket, Native.SoSendBuffer, size);
            Set(fd, Native.SolSocket, Native.SoReceiveBuffer, size);
        }
        if (family == Native.AfUnix)
            return;
        if (options.NoDelay)
            Set(fd, Native.IpProtoTcp, Native.TcpNoDelay, 1);
        if (!options.ResetOnClose)
            return;
        var linger = stackalloc int[2] { 1, 0 };
        Native.SetSocketOption(fd, Native.SolSocket, Native.SoLinger, linger, 2 * sizeof(int));
    }

    private static void Set(int fd, int level, int name, int value) => Native.SetSocketOption(fd, level, name, &value, sizeof(int));
}

/// <summary>What an <see cref="EventLoop"/> tells the owner of a socket. Called on the loop's thread; must not throw.</summary>
public interface ILoopHandler
{
    /// <summary>
    /// Bytes, the end of the stream or an error can be read. The loop tells it once: read while <see cref="LoopSocket.MayHoldMore"/>.
    /// </summary>
    void OnReadable();

    /// <summary>There is room to send again; only after <see cref="LoopSocket.WantWritable"/>.</summary>
    void OnWritable();
}
