using System.Collections.Concurrent;
using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary>System calls that an event loop has made on its sockets, and for them.</summary>
/// <param name="Receives">recv(2).</param>
/// <param name="EmptyReceives">Of them, those that found nothing.</param>
/// <param name="Sends">send(2) and sendmsg(2).</param>
/// <param name="Waits">epoll_wait(2), epoll_pwait2(2) or ppoll(2), those that return at once too.</param>
public readonly record struct LoopCounts(long Receives, long EmptyReceives, long Sends, long Waits)
{
    public static LoopCounts operator +(LoopCounts a, LoopCounts b) =>
        new(a.Receives + b.Receives, a.EmptyReceives + b.EmptyReceives, a.Sends + b.Sends, a.Waits + b.Waits);

    public static LoopCounts operator -(LoopCounts a, LoopCounts b) =>
        new(a.Receives - b.Receives, a.EmptyReceives - b.EmptyReceives, a.Sends - b.Sends, a.Waits - b.Waits);
}

/// <summary>
/// One thread that waits for its sockets with epoll and calls their owners: no lock and no hand-over to another thread between
/// a byte's arrival and the code that reads it. Sockets and timers belong to the loop's thread; other threads use <see cref="Post"/>.
/// </summary>
[SupportedOSPlatform("linux")]
public sealed class EventLoop : IDisposable
{
    // A Unix socket is refilled while it is read: 1 MB replies cost about 8 % less with this than with 256 KiB.
    private const int ReceiveBufferSize = 1024 * 1024;

    // A timer due sooner must not wait for another thread's turn on the CPU, which lasts some milliseconds.
    private const long DueSoonNs = 10_000_000;

    private readonly ConcurrentQueue<(Action<object?> Action, object? State)> posted = new();
    private readonly TimerQueue timers = new();
    private readonly List<LoopSocket> again = [];
    private readonly List<LoopSocket> againNow = [];
    private readonly EpollSet epoll = new();
    private readonly SpinBudget spin = new();
    private readonly Thread thread;
    private static readonly Lock AllGate = new();
    private static readonly List<EventLoop> All = [];
    private static LoopCounts ended;
    private long sendsElsewhere; // of other threads
    private long receives, emptyReceives, sends, waits; // of the loop's thread alone, and read by others
    private int mayBeAsleep;
    private volatile bool stopping;

    /// <param name="name">The thread's name, for debuggers and profilers.</param>
    /// <exception cref="IOException">There are no descriptors for it, or no memory for its thread.</exception>
    public EventLoop(string name)
    {
        thread = new Thread(Run) { Name = name, IsBackground = true };
        lock (AllGate)
            All.Add(this);
        try
        {
            thread.Start();
        }
        catch (OutOfMemoryException e)
        {
            // The runtime says so as well where a thread finds no descriptors.
            epoll.Dispose();
            lock (AllGate)
                All.Remove(this);
            throw new IOException("no thread for an event loop: too many open files, or out of memory", e);
        }
    }

    /// <summary>
    /// Before it sleeps, let others run who want this CPU, where several connections are watched or <see cref="AwaitsMany"/> is set:
    /// throughput for one more system call. On unless it is switched off.
    /// </summary>
    public bool LetsOthersRun { get; init; } = true;

    /// <summary>Its owner has many messages on their way at a time, even where one connection is watched. From any thread.</summary>
    public bool AwaitsMany { get; set; }

    /// <summary>Is told of an exception of a posted action, which otherwise ends the process.</summary>
    public Action<Exception>? OnFault { get; init; }

    /// <summary>This system has what the loop stands on.</summary>
    [SupportedOSPlatformGuard("linux")]
    public static bool IsSupported => OperatingSystem.IsLinux();

    /// <summary>System calls so far. From any thread.</summary>
    public LoopCounts Counts => new(Volatile.Read(ref receives), Volatile.Read(ref emptyReceives),
        Volatile.Read(ref sends) + Volatile.Read(ref sendsElsewhere), Volatile.Read(ref waits));

    /// <summary>System calls of all loops that this process has had; null when it has had none. From any thread.</summary>
    public static LoopCounts? OfProcess
    {
        get
        {
            lock (AllGate)
                return All.Count == 0 && ended == default ? null : All.Aggregate(ended, (sum, loop) => sum + loop.Counts);
        }
    }

    /// <summary>True on the loop's own thread.</summary>
    public bool IsCurrent => Thread.CurrentThread == thread;

    /// <summary>One buffer for all receives of this loop: what a handler reads into it must be used up before it returns.</summary>
    public byte[] ReceiveBuffer { get; } = GC.AllocateUninitializedArray<byte>(ReceiveBufferSize, pinned: true);

    /// <summary>Runs the action on the loop's thread, soon. From any thread.</summary>
    public void Post(Action<object?> action, object? state)
    {
        posted.Enqueue((action, state));
        // Behind the queue's store: either this sees that the loop is about to sleep, or the loop sees the action.
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref mayBeAsleep) == 1 && Interlocked.Exchange(ref mayBeAsleep, 0) == 1)
            epoll.Wake();
    }

    /// <summary>Calls the timer when <see cref="MonotonicClock"/> reaches <paramref name="dueNs"/>. On the loop's thread only.</summary>
    public void Schedule(long dueNs, ILoopTimer timer) => timers.Add(dueNs, timer);

    /// <summary>Calls every timer now, early. On the loop's thread only.</summary>
    public void HurryTimers()
    {
        for (var left = timers.Count; left > 0 && timers.TryTake(long.MaxValue, out var timer); left--)
            timer.OnDue();
    }

    /// <summary>Ends the thread; sockets still open are the owners' to close before.</summary>
    public void Dispose() => TryEnd(Timeout.InfiniteTimeSpan);

    /// <summary>As <see cref="Dispose"/>, with a limit: a handler that blocks may keep the thread for ever.</summary>
    /// <returns>False when the thread is still busy; it ends as soon as it can.</returns>
    public bool TryEnd(TimeSpan limit)
    {
        if (!stopping)
        {
            stopping = true;
            epoll.Wake();
        }
        return IsCurrent || thread.Join(limit);
    }

    internal EpollSet Epoll => epoll;

    /// <summary>How often the loop has gone round. On the loop's thread only.</summary>
    internal long Turn { get; private set; }

    /// <summary>Tells the socket's owner once more that it is readable, after the others had their turn.</summary>
    internal void ReadAgain(LoopSocket socket) => again.Add(socket);

    /// <summary>A receive has returned this.</summary>
    internal void Received(int result)
    {
        receives++;
        if (result == LoopSocket.WouldBlock)
            emptyReceives++;
    }

    /// <summary>A send was made.</summary>
    internal void Sent()
    {
        if (IsCurrent)
            sends++;
        else
            Interlocked.Increment(ref sendsElsewhere);
    }

    private void Run()
    {
        FineSleep.Sharpen();
        while (!stopping)
        {
            RunPosted();
            RunTimers();
            Sleep(TimeToWait());
            ReadAgain();
        }
        epoll.Dispose();
        lock (AllGate)
        {
            All.Remove(this);
            ended += Counts;
        }
    }

    private void RunPosted()
    {
        if (posted.IsEmpty)
            return;
        // What these actions post has its turn after the sockets had theirs.
        for (var left = posted.Count; left > 0 && posted.TryDequeue(out var item); left--)
        {
            try
            {
                item.Action(item.State);
            }
            catch (Exception e) when (OnFault is not null)
            {
                OnFault(e);
            }
        }
    }

    private void RunTimers()
    {
        while (timers.Count > 0 && timers.TryTake(MonotonicClock.NowNs, out var timer))
            timer.OnDue();
    }

    /// <summary>
    /// Where much is on its way it first lets others run who want this CPU, the sender among them (sched_yield(2), which returns at once
    /// when there are none): one wake-up then finds more to read, which took a third off the client's CPU time per 1 MB reply of many
    /// sockets, and a quarter off that of a call where 80 are out on one. A lone answer would only be read later.
    /// </summary>
    private void Sleep(long waitNs)
    {
        if (LetsOthersRun && (AwaitsMany || epoll.Connections > 1) && (waitNs < 0 || waitNs >= DueSoonNs))
            Thread.Yield();
        waits++;
        Volatile.Write(ref mayBeAsleep, 1);
        Interlocked.MemoryBarrier();
        epoll.Wait(posted.IsEmpty && !stopping ? waitNs : 0);
        // An awake loop looks at the queue by itself: posting costs no system call then.
        Volatile.Write(ref mayBeAsleep, 0);
    }

    /// <summary>ns; 0 not to wait at all, -1 for ever.</summary>
    private long TimeToWait()
    {
        if (again.Count > 0)
            return 0;
        if (timers.Count == 0)
            return -1;
        return spin.Next(MonotonicClock.NowNs, timers.FirstDue);
    }

    private void ReadAgain()
    {
        Turn++;
        if (again.Count == 0)
            return;
        againNow.AddRange(again);
        again.Clear();
        foreach (var socket in againNow)
            socket.OnTurn();
        againNow.Clear();
    }
}
