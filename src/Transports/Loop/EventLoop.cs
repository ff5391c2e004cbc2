using System.Collections.Concurrent;
using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary>
/// One thread that waits for its sockets with epoll and calls their owners. Each turn of the loop runs the posted
/// actions, the timers that are due, and the owners of sockets with events. Between the arrival of a byte and the code
/// that reads it, there is no lock and no hand-over to another thread. Sockets and timers belong to the loop's thread.
/// Other threads use <see cref="Post"/>.
/// </summary>
[SupportedOSPlatform("linux")]
public sealed class EventLoop : IDisposable
{
    // The kernel refills a Unix socket while the loop reads it. With this buffer of 1 MiB, replies of 1 MB cost 8 %
    // less CPU time than with 256 KiB.
    private const int ReceiveBufferSize = 1024 * 1024;

    // When a timer is due sooner than this, the loop does not yield the CPU. A yield may last a time slice of some
    // milliseconds, and the timer would be late.
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
    private long sendsElsewhere; // sends on other threads
    private long receives, emptyReceives, sends, waits; // written by the loop's thread alone, read by other threads
    private int mayBeAsleep;
    private volatile bool stopping;

    /// <param name="name">The thread's name, for debuggers and profilers.</param>
    /// <exception cref="IOException">The process has no descriptors left for the loop, or no memory for its thread.</exception>
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
            // The runtime throws this exception also when the process has no descriptors for a new thread.
            epoll.Dispose();
            lock (AllGate)
                All.Remove(this);
            throw new IOException("no thread for an event loop: too many open files, or out of memory", e);
        }
    }

    /// <summary>
    /// True to yield the CPU before the loop waits for events, but only while the loop watches several connections or
    /// <see cref="AwaitsMany"/> is set. Yielding raises throughput and costs one system call. Default true.
    /// </summary>
    public bool LetsOthersRun { get; init; } = true;

    /// <summary>
    /// Whether the loop's owner keeps many messages in flight, even on a single connection. Any thread may set this.
    /// </summary>
    public bool AwaitsMany { get; set; }

    /// <summary>Called with an exception of a posted action. Without a handler, such an exception ends the process.</summary>
    public Action<Exception>? OnFault { get; init; }

    /// <summary>Whether the system has epoll, which only Linux has.</summary>
    [SupportedOSPlatformGuard("linux")]
    public static bool IsSupported => OperatingSystem.IsLinux();

    /// <summary>System calls of this loop so far. Any thread may read them.</summary>
    public LoopCounts Counts => new(Volatile.Read(ref receives), Volatile.Read(ref emptyReceives),
        Volatile.Read(ref sends) + Volatile.Read(ref sendsElsewhere), Volatile.Read(ref waits));

    /// <summary>
    /// System calls of all loops that this process ever had. Null when the process never had a loop. Any thread may
    /// read them.
    /// </summary>
    public static LoopCounts? OfProcess
    {
        get
        {
            lock (AllGate)
                return All.Count == 0 && ended == default ? null : All.Aggregate(ended, (sum, loop) => sum + loop.Counts);
        }
    }

    /// <summary>Whether the caller is on the loop's own thread.</summary>
    public bool IsCurrent => Thread.CurrentThread == thread;

    /// <summary>One buffer for all receives of this loop. So a handler must process what it received before it returns.</summary>
    public byte[] ReceiveBuffer { get; } = GC.AllocateUninitializedArray<byte>(ReceiveBufferSize, pinned: true);

    /// <summary>Runs the action on the loop's thread in the next turn. Any thread may call this.</summary>
    public void Post(Action<object?> action, object? state)
    {
        posted.Enqueue((action, state));
        // The barrier orders the enqueue before the read. So either this thread sees that the loop is about to sleep, or
        // the loop sees the action.
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref mayBeAsleep) == 1 && Interlocked.Exchange(ref mayBeAsleep, 0) == 1)
            epoll.Wake();
    }

    /// <summary>Calls the timer when <see cref="MonotonicClock"/> reaches <paramref name="dueNs"/>. On the loop's thread only.</summary>
    public void Schedule(long dueNs, ILoopTimer timer) => timers.Add(dueNs, timer);

    /// <summary>Calls every timer now, before it is due. On the loop's thread only.</summary>
    public void HurryTimers()
    {
        for (var left = timers.Count; left > 0 && timers.TryTake(long.MaxValue, out var timer); left--)
            timer.OnDue();
    }

    /// <summary>Ends the thread. The owners must close their open sockets first.</summary>
    public void Dispose() => TryEnd(Timeout.InfiniteTimeSpan);

    /// <summary>
    /// Ends the thread as <see cref="Dispose"/> does, but waits no longer than the limit, because a handler may block the thread.
    /// </summary>
    /// <returns>False when the thread is still busy. It then ends when its handler returns.</returns>
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

    /// <summary>The number of turns that the loop has ended so far. On the loop's thread only.</summary>
    internal long Turn { get; private set; }

    /// <summary>Calls the socket's owner once more, after the other sockets had their turn.</summary>
    internal void ReadAgain(LoopSocket socket) => again.Add(socket);

    internal void Received(int result)
    {
        receives++;
        if (result == LoopSocket.WouldBlock)
            emptyReceives++;
    }

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
        // Actions that are posted by these actions run in the next turn, after the events of the sockets.
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
    /// Waits for events. With many messages in flight, the loop first yields the CPU to other threads such as the
    /// sender (sched_yield(2), which returns at once when no thread waits). One wake-up then finds more bytes to read.
    /// For replies of 1 MB on many sockets, the yield saved a third of the client's CPU time. For 80 calls in flight on
    /// one connection, the yield saved a quarter of the CPU time of a call. With one call in flight the loop does not
    /// yield, because a yield would only delay the read of the answer.
    /// </summary>
    private void Sleep(long waitNs)
    {
        if (LetsOthersRun && (AwaitsMany || epoll.Connections > 1) && (waitNs < 0 || waitNs >= DueSoonNs))
            Thread.Yield();
        waits++;
        Volatile.Write(ref mayBeAsleep, 1);
        Interlocked.MemoryBarrier();
        epoll.Wait(posted.IsEmpty && !stopping ? waitNs : 0);
        // From now on posting needs no wake-up, because the loop is awake and looks at the queue in every turn.
        Volatile.Write(ref mayBeAsleep, 0);
    }

    /// <summary>Computes the wait in ns. 0 does not wait, -1 waits without limit.</summary>
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
