using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;
using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary>The sockets that one epoll descriptor watches, and the wait for their events.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe class EpollSet : IDisposable
{
    private const int Capacity = 512;

    // struct epoll_event is packed on x86-64 only (bits/epoll.h).
    private static readonly int DataOffset = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 4 : 8;
    private static readonly int Stride = DataOffset + 8;

    private readonly int epoll;
    private readonly int wake;
    private readonly byte* events = (byte*)NativeMemory.AllocZeroed((nuint)(Capacity * 16));
    private readonly Stack<int> free = new();
    private readonly Lock wakeGate = new();
    private bool hasEnded;
    private IWatched?[] sockets = new IWatched?[64];
    private uint[] generations = new uint[64];
    private int used = 1; // slot 0 is the wake-up descriptor
    private int listeners;
    private bool hasFineWait;

    /// <param name="hasFineWait">False to wait without epoll_pwait2, as on a kernel before 5.11.</param>
    /// <exception cref="IOException">The process has no descriptor left.</exception>
    public EpollSet(bool hasFineWait = true)
    {
        this.hasFineWait = hasFineWait;
        epoll = Native.EpollCreate(Native.CloseOnExec);
        wake = epoll < 0 ? -1 : Native.EventFd(0, Native.CloseOnExec | Native.EventFdNonBlocking);
        try
        {
            if (wake < 0)
                throw new IOException($"no epoll descriptor: {Marshal.GetPInvokeErrorMessage(Marshal.GetLastPInvokeError())}");
            // Edge-triggered: each write to the descriptor is a new event, so nobody has to read the eventfd's counter.
            Control(Native.EpollAdd, wake, Native.EpollIn | Native.EpollEdge, 0);
        }
        catch (IOException)
        {
            Dispose();
            throw;
        }
    }

    /// <summary>The number of connections that are watched. Listening sockets do not count.</summary>
    public int Connections => used - 1 - free.Count - listeners;

    /// <summary>
    /// Ends a wait early, or lets the next wait end at once. Does nothing after <see cref="Dispose"/>. Any thread may call this.
    /// </summary>
    public void Wake()
    {
        var one = 1L;
        // While this lock is held, Dispose cannot close the descriptor. Otherwise the system could give the descriptor's
        // number to another file before the write.
        lock (wakeGate)
        {
            if (!hasEnded)
                Native.Write(wake, &one, sizeof(long));
        }
    }

    /// <returns>The slot, which <see cref="Watch"/> and <see cref="Remove"/> take.</returns>
    public int Add(IWatched socket, int fd, uint interest)
    {
        if (!free.TryPop(out var slot))
            slot = used++;
        if (slot >= sockets.Length)
        {
            Array.Resize(ref sockets, slot * 2);
            Array.Resize(ref generations, slot * 2);
        }
        sockets[slot] = socket;
        try
        {
            Control(Native.EpollAdd, fd, interest, Key(slot));
        }
        catch (IOException)
        {
            Remove(slot);
            throw;
        }
        return slot;
    }

    public void Watch(int slot, int fd, uint interest) => Control(Native.EpollModify, fd, interest, Key(slot));

    /// <summary>Adds a listening socket, which has no events before <see cref="Arm"/>.</summary>
    /// <returns>The key for <see cref="Arm"/>, and the slot for <see cref="RemoveListener"/>.</returns>
    public (ulong Key, int Slot) AddListener(IWatched listener, int fd)
    {
        listeners++;
        var slot = Add(listener, fd, Native.EpollOneShot);
        return (Key(slot), slot);
    }

    /// <summary>Asks for one event of a listening socket. Any thread may call this.</summary>
    public void Arm(ulong key, int fd) => Control(Native.EpollModify, fd, Native.EpollIn | Native.EpollOneShot, key);

    /// <summary>Stops the events of a listening socket. Any thread may call this while the descriptor is open.</summary>
    public void Ignore(int fd) => Native.EpollControl(epoll, Native.EpollDelete, fd, null);

    public void RemoveListener(int slot)
    {
        listeners--;
        Remove(slot);
    }

    /// <summary>
    /// Forgets the socket and drops its events that were already fetched. The caller closes the descriptor, which removes it from epoll.
    /// </summary>
    public void Remove(int slot)
    {
        sockets[slot] = null;
        generations[slot]++;
        free.Push(slot);
    }

    /// <summary>Waits for events and calls the owners of the sockets.</summary>
    /// <param name="timeoutNs">The time-out in ns. -1 waits without limit, 0 does not wait.</param>
    public void Wait(long timeoutNs)
    {
        var count = timeoutNs <= 0 ? Native.EpollWait(epoll, events, Capacity, (int)timeoutNs) : WaitNs(timeoutNs);
        for (var i = 0; i < count; i++)
        {
            if (i + 2 < count && SocketOf(i + 2) is { } later)
                ProcessorCache.Fetch(later);
            if (i + 1 < count && SocketOf(i + 1) is LoopSocket next)
            {
                ProcessorCache.Fetch(next.Handler);
                ProcessorCache.Fetch(next.NeededSoon);
            }
            var bits = *(uint*)(events + i * Stride);
            var key = *(ulong*)(events + i * Stride + DataOffset);
            var slot = (int)(uint)key;
            if (slot != 0 && generations[slot] == (uint)(key >> 32))
                sockets[slot]?.OnEvents(bits);
        }
    }

    public void Dispose()
    {
        lock (wakeGate)
        {
            hasEnded = true;
            Native.Close(wake);
        }
        Native.Close(epoll);
        NativeMemory.Free(events);
    }

    private IWatched? SocketOf(int number) => sockets[*(int*)(events + number * Stride + DataOffset)];

    private int WaitNs(long timeoutNs)
    {
        var timeout = new Native.Timespec { Seconds = timeoutNs / 1_000_000_000, Nanoseconds = timeoutNs % 1_000_000_000 };
        if (hasFineWait)
        {
            var count = Native.EpollWaitNs(epoll, events, Capacity, &timeout);
            if (count >= 0 || Marshal.GetLastPInvokeError() is not (Native.FunctionNotImplemented or Native.NotPermitted))
                return count;
            // A kernel before 5.11 answers ENOSYS. A container's seccomp filter that does not know the system call answers EPERM.
            hasFineWait = false;
        }
        // The time-out of epoll_wait(2) is in milliseconds. A shorter wait would become 0, and the loop would keep a
        // CPU busy. So ppoll(2) waits, whose time-out is in nanoseconds.
        var set = new Native.PollDescriptor { Descriptor = epoll, Events = Native.PollIn };
        return Native.Poll(&set, 1, &timeout, null) > 0 ? Native.EpollWait(epoll, events, Capacity, 0) : 0;
    }

    private ulong Key(int slot) => ((ulong)generations[slot] << 32) | (uint)slot;

    private void Control(int operation, int fd, uint interest, ulong key)
    {
        var record = stackalloc byte[16];
        *(uint*)record = interest;
        *(ulong*)(record + DataOffset) = key;
        if (Native.EpollControl(epoll, operation, fd, record) < 0)
            throw new IOException($"epoll_ctl: {Marshal.GetPInvokeErrorMessage(Marshal.GetLastPInvokeError())}");
    }
}

/// <summary>
/// Prefetches objects, which means that the processor loads them into its caches before they are used. The caches cannot
/// hold the objects of hundreds of connections at the same time.
/// </summary>
internal static unsafe class ProcessorCache
{
    private const int Line = 64;

    /// <summary>Prefetches the first cache line of an object.</summary>
    public static void Fetch(object soon)
    {
        if (Sse.IsSupported)
            Sse.Prefetch0(Start(soon));
    }

    /// <summary>Prefetches the first three cache lines of each object, which is the whole of most objects.</summary>
    public static void FetchAll(object[] soon)
    {
        if (!Sse.IsSupported)
            return;
        foreach (var one in soon)
        {
            var start = Start(one);
            Sse.Prefetch0(start);
            Sse.Prefetch0(start + Line);
            Sse.Prefetch0(start + 2 * Line);
        }
    }

    // The garbage collector may move the object before the prefetch. Then the old place is prefetched, which does no harm.
    private static byte* Start(object one) => *(byte**)Unsafe.AsPointer(ref one);
}
