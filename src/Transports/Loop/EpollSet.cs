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

    /// <param name="hasFineWait">False: without epoll_pwait2, as on a kernel before 5.11.</param>
    /// <exception cref="IOException">There is no descriptor for it.</exception>
    public EpollSet(bool hasFineWait = true)
    {
        this.hasFineWait = hasFineWait;
        epoll = Native.EpollCreate(Native.CloseOnExec);
        wake = epoll < 0 ? -1 : Native.EventFd(0, Native.CloseOnExec | Native.EventFdNonBlocking);
        try
        {
            if (wake < 0)
                throw new IOException($"no epoll descriptor: {Marshal.GetPInvokeErrorMessage(Marshal.GetLastPInvokeError())}");
            // Edge-triggered: each write is an event, and nobody needs to read the counter back.
            Control(Native.EpollAdd, wake, Native.EpollIn | Native.EpollEdge, 0);
        }
        catch (IOException)
        {
            Dispose();
            throw;
        }
    }

    /// <summary>How many connections it watches.</summary>
    public int Connections => used - 1 - free.Count - listeners;

    /// <summary>Ends a wait early, or the next one at once; nothing after its end. From any thread.</summary>
    public void Wake()
    {
        var one = 1L;
        // Not while the descriptor is being closed: its number may be another's afterwards.
        lock (wakeGate)
        {
            if (!hasEnded)
                Native.Write(wake, &one, sizeof(long));
        }
    }

    /// <returns>The slot to name in <see cref="Watch"/> and <see cref="Remove"/>.</returns>
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

    /// <summary>Watches a listening socket, at first for nothing.</summary>
    /// <returns>What to name in <see cref="Arm"/>, and the slot for <see cref="Remove"/>.</returns>
    public (ulong Key, int Slot) AddListener(IWatched listener, int fd)
    {
        listeners++;
        var slot = Add(listener, fd, Native.EpollOneShot);
        return (Key(slot), slot);
    }

    /// <summary>Asks for one event of a listening socket. From any thread.</summary>
    public void Arm(ulong key, int fd) => Control(Native.EpollModify, fd, Native.EpollIn | Native.EpollOneShot, key);

    /// <summary>No more events of a listening socket. From any thread, while its descriptor is open.</summary>
    public void Ignore(int fd) => Native.EpollControl(epoll, Native.EpollDelete, fd, null);

    /// <summary>Forgets a listening socket.</summary>
    public void RemoveListener(int slot)
    {
        listeners--;
        Remove(slot);
    }

    /// <summary>Forgets the socket; events already fetched for it are dropped. Closing the descriptor removes it from epoll.</summary>
    public void Remove(int slot)
    {
        sockets[slot] = null;
        generations[slot]++;
        free.Push(slot);
    }

    /// <summary>Waits for events and tells the sockets' owners.</summary>
    /// <param name="timeoutNs">-1: for ever; 0: not at all.</param>
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
            // A kernel before 5.11, or a container that allows no system call that it does not know.
            hasFineWait = false;
        }
        // epoll_wait knows milliseconds alone, and a wait of 0 ms in place of a part of one would keep a CPU busy.
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

/// <summary>What an <see cref="EpollSet"/> tells of events: a connection or a listening socket.</summary>
internal interface IWatched
{
    /// <summary>Called on the loop's thread.</summary>
    /// <param name="bits">epoll's EPOLLIN, EPOLLOUT and so on.</param>
    void OnEvents(uint bits);
}

/// <summary>Has the processor read objects while it does something else: of hundreds of connections none is in its caches.</summary>
internal static unsafe class ProcessorCache
{
    private const int Line = 64;

    /// <summary>An object's beginning.</summary>
    public static void Fetch(object soon)
    {
        if (Sse.IsSupported)
            Sse.Prefetch0(Start(soon));
    }

    /// <summary>The first lines of each, which hold all that most objects have.</summary>
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

    // Only a hint: it may have moved by the time it is used.
    private static byte* Start(object one) => *(byte**)Unsafe.AsPointer(ref one);
}
