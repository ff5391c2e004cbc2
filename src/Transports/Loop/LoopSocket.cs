using System.Buffers;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary>
/// A non-blocking stream socket, or a pair of pipes, that one <see cref="EventLoop"/> watches. Only the loop's thread
/// may use this object, with two exceptions: another thread may send and call <see cref="WantWritable"/>. Only one
/// thread at a time may send or call <see cref="WantWritable"/>, and nobody may call <see cref="Close"/> at the same
/// time.
/// </summary>
[SupportedOSPlatform("linux")]
public sealed unsafe class LoopSocket : IWatched
{
    // The buffers that a send of several parts pins until the send returns.
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
    private readonly ChildProgram? child;
    private readonly int output;
    private readonly bool isPipes;
    private int outputSlot = -1;
    private int fd;
    private bool awaitsTurn;

    // Whether an event has announced the end of the stream, an error or an urgent mark. A receive first returns the
    // bytes before that point.
    private bool hasMore;
    private volatile bool writable = true;

    /// <exception cref="IOException">
    /// epoll refused to watch the socket. The constructor has closed <paramref name="fd"/>.
    /// </exception>
    /// <param name="output">The pipe to write to, if fd is a pipe to read from. -1 for a socket.</param>
    /// <param name="child">
    /// The child process on the other side. <see cref="Close"/> ends the child. Null when the other side is no child.
    /// </param>
    internal LoopSocket(EventLoop loop, int fd, ILoopHandler handler, Socket? owner = null, int output = -1, ChildProgram? child = null)
    {
        (this.loop, this.fd, Handler) = (loop, fd, handler);
        (this.owner, handle) = (owner, owner?.SafeHandle);
        (this.output, isPipes, this.child) = (output, output >= 0, child);
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

    /// <summary>
    /// Takes over a connection from <see cref="LoopListener.TryAccept"/> and watches it. Only the loop's thread may call this.
    /// </summary>
    /// <param name="loop">The loop that watches the connection from now on.</param>
    /// <param name="descriptor">The descriptor of the connection. From now on it belongs to the new object.</param>
    /// <exception cref="IOException">
    /// epoll refused to watch the connection (fs.epoll.max_user_watches). <paramref name="descriptor"/> is then closed.
    /// </exception>
    public static LoopSocket Take(EventLoop loop, int descriptor, ILoopHandler handler) => new(loop, descriptor, handler);

    /// <summary>Takes over a pipe to read from and a pipe to write to, as <see cref="Take"/> does with a connection.</summary>
    public static LoopSocket TakePipes(EventLoop loop, int input, int output, ILoopHandler handler)
    {
        Descriptor.SetNonBlocking(input);
        Descriptor.SetNonBlocking(output);
        return new(loop, input, handler, output: output);
    }

    /// <summary>
    /// Takes over the connection of a .NET socket and watches it. <see cref="Close"/> disposes the .NET socket. So other threads
    /// may call the .NET socket at any time, and their calls throw after the close. Only the loop's thread may call this method.
    /// </summary>
    /// <param name="loop">The loop that watches the connection from now on.</param>
    /// <param name="accepted">A non-blocking socket. From now on it belongs to the new object.</param>
    /// <exception cref="IOException">epoll refused to watch the connection. The accepted socket is then closed.</exception>
    public static LoopSocket Adopt(EventLoop loop, Socket accepted, ILoopHandler handler) =>
        new(loop, (int)accepted.Handle, handler, accepted);

    /// <summary>The object that receives the events. Only the loop's thread may replace it.</summary>
    public ILoopHandler Handler { get; set; }

    /// <summary>
    /// Objects that the handler needs for the next bytes. A receive prefetches them before the kernel copies the bytes,
    /// because the processor's caches cannot hold the objects of hundreds of connections. Only the loop's thread may set
    /// them.
    /// </summary>
    public object[] NeededSoon { get; set; } = [];

    public EventLoop Loop => loop;

    public bool IsClosed => fd < 0;

    /// <summary>
    /// Whether to call <see cref="Receive"/> again, because the last call may have left bytes that no further event
    /// will announce. A receive that filled less than its buffer has taken all bytes (epoll(7), on edge-triggered reads
    /// of stream sockets), unless the kernel ended the receive early. The kernel does so at an urgent mark, and after
    /// descriptors that the other side sent (SCM_RIGHTS).
    /// </summary>
    public bool MayHoldMore { get; private set; }

    /// <summary>Reads the bytes that have arrived.</summary>
    /// <returns>
    /// The number of bytes, 0 at the end of the stream, or a negated errno. <see cref="WouldBlock"/> means that there are no bytes yet.
    /// </returns>
    public int Receive(Span<byte> buffer)
    {
        if (!Hold())
            return Closed;
        ProcessorCache.FetchAll(NeededSoon);
        fixed (byte* start = buffer)
        {
            var isCut = false;
            var count = isLocal ? ReceiveLocal(start, buffer.Length, out isCut)
                : isPipes ? Native.Read(fd, start, buffer.Length) : Native.Receive(fd, start, buffer.Length, 0);
            var result = count >= 0 ? (int)count : -Marshal.GetLastPInvokeError();
            Release();
            loop.Received(result);
            if (result <= 0 && result != WouldBlock)
                child?.NoteEnd();
            hasMore &= result != WouldBlock;
            MayHoldMore = result > 0 && (result == buffer.Length || isCut || hasMore);
            return result;
        }
    }

    /// <summary>Sends as many bytes as the socket takes.</summary>
    /// <returns>The number of bytes, or a negated errno. <see cref="WouldBlock"/> means that the socket has no room.</returns>
    public int Send(ReadOnlySpan<byte> bytes)
    {
        if (!Hold())
            return Closed;
        fixed (byte* start = bytes)
        {
            loop.Sent();
            var count = isPipes ? Native.Write(output, start, bytes.Length) : Native.Send(fd, start, bytes.Length, Native.MsgNoSignal);
            var result = count >= 0 ? (int)count : -Marshal.GetLastPInvokeError();
            Release();
            return result;
        }
    }

    /// <summary>The most segments that one <see cref="Send(in ReadOnlySequence{byte})"/> sends.</summary>
    public const int MostSegments = 64;

    /// <summary>Sends as many bytes of the first <see cref="MostSegments"/> segments as the socket takes, in one system call.</summary>
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

    /// <summary>Sends as many bytes of at most <see cref="MostSegments"/> parts as the socket takes, in one system call.</summary>
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
            var count = isPipes ? Native.WriteSegments(output, segments, used) : Native.SendMessage(fd, &message, Native.MsgNoSignal);
            return count >= 0 ? (int)count : -Marshal.GetLastPInvokeError();
        }
        finally
        {
            Release();
            for (var i = 0; i < used; i++)
                pins[i].Dispose();
        }
    }

    /// <summary>
    /// Half-closes the connection, which tells the other side that no more bytes follow. With <paramref name="both"/> reading ends too.
    /// </summary>
    public void Shutdown(bool both)
    {
        if (fd >= 0)
            Native.Shutdown(fd, both ? Native.ShutdownBoth : Native.ShutdownSend);
    }

    /// <summary>Makes <see cref="Close"/> reset a TCP connection. Bytes that were not sent yet are then dropped.</summary>
    public void ResetOnClose()
    {
        var linger = stackalloc int[2] { 1, 0 };
        if (fd >= 0)
            Native.SetSocketOption(fd, Native.SolSocket, Native.SoLinger, linger, 2 * sizeof(int));
    }

    /// <summary>The result of a receive or send that would have to wait (EAGAIN).</summary>
    public const int WouldBlock = -Native.Again;

    /// <summary>
    /// Whether a send failed because the other side has ended the connection. A receive then returns the bytes that
    /// arrived before the end, and after them the cause.
    /// </summary>
    public static bool IsOthersEnd(int result) => result is -Native.BrokenPipe or -Native.ConnectionReset;

    /// <summary>Returns the system's text for a negative result of receiving or sending.</summary>
    public static string Describe(int result) => Marshal.GetPInvokeErrorMessage(-result);

    /// <summary>Asks for one call of <see cref="ILoopHandler.OnWritable"/> when the socket has room again.</summary>
    public void WantWritable()
    {
        // A Unix socket reports "writable" each time the other side reads (af_unix.c, unix_write_space). So EPOLLOUT is
        // watched only on demand.
        if (fd < 0 || !writable)
            return;
        writable = false;
        if (isPipes)
            loop.Post(static socket => ((LoopSocket)socket!).WatchOutput(), this);
        else
            loop.Epoll.Watch(slot, fd, ReadInterest | Native.EpollOut);
    }

    /// <summary>Asks for one more call of <see cref="ILoopHandler.OnReadable"/>, after the other sockets had their turn.</summary>
    public void ReadAgain()
    {
        if (awaitsTurn)
            return;
        awaitsTurn = true;
        loop.ReadAgain(this);
    }

    /// <summary>Closes the descriptor. A TCP socket with linger 0 resets its connection, so that no TIME_WAIT is left.</summary>
    public void Close()
    {
        if (fd < 0)
            return;
        loop.Epoll.Remove(slot);
        IgnoreOutput();
        CloseDescriptor();
    }

    void IWatched.OnEvents(uint bits) => OnEvents(bits);

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

    /// <summary>Reads SO_ERROR, the result of a connect: 0 for success, otherwise the errno.</summary>
    internal int TakeError() => Option(Native.SoError) is >= 0 and var error ? error : Marshal.GetLastPInvokeError();

    // Only recvmsg(2) tells that a receive was cut short because descriptors came with the bytes (SCM_RIGHTS). The kernel
    // closes these descriptors, because this call has no room for them.
    private nint ReceiveLocal(byte* start, int length, out bool isCut)
    {
        var segment = new Native.Segment { Start = start, Length = length };
        var message = new Native.MessageHeader { Segments = &segment, SegmentCount = 1 };
        var count = Native.ReceiveMessage(fd, &message, 0);
        isCut = (message.Flags & Native.MsgControlTruncated) != 0;
        return count;
    }

    /// <summary>
    /// Keeps other threads from closing the descriptor until <see cref="Release"/>. Returns false when the descriptor is closed already.
    /// </summary>
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
            // The application has disposed the .NET socket itself.
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
        if (isPipes)
            Native.Close(output);
        fd = -1;
        child?.Dispose();
    }

    // The output pipe is watched only while a send waits for room in it. So epoll usually watches one descriptor for
    // each connection.
    private void WatchOutput()
    {
        if (fd >= 0)
            outputSlot = loop.Epoll.Add(new FreeSpace(this), output, Native.EpollOut);
    }

    private void IgnoreOutput()
    {
        if (outputSlot < 0)
            return;
        loop.Epoll.Ignore(output);
        loop.Epoll.Remove(outputSlot);
        outputSlot = -1;
    }

    private int Option(int name)
    {
        int value = 0, length = sizeof(int);
        return Native.GetSocketOption(fd, Native.SolSocket, name, &value, &length) < 0 ? -1 : value;
    }

    /// <summary>Waits until the pipe to write to has free space, or until nobody reads it any more.</summary>
    private sealed class FreeSpace(LoopSocket socket) : IWatched
    {
        public void OnEvents(uint bits)
        {
            socket.IgnoreOutput();
            socket.writable = true;
            socket.Handler.OnWritable();
        }
    }
}
