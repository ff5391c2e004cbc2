using System.Buffers;
using System.Collections.Concurrent;
using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary>
/// One thread that waits for its sockets with epoll and calls their owners: no lock and no hand-over to another thread between
/// a byte's arrival and the code that reads it. Sockets and timers belong to the loop's thread; <see cref="Post"/> is the door for others.
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
    private int signalled;
    private volatile bool stopping;

    /// <param name="name">The thread's name, for debuggers and profilers.</param>
    public EventLoop(string name)
    {
        thread = new Thread(Run) { Name = name, IsBackground = true };
        thread.Start();
    }

    /// <summary>
    /// Before it sleeps, let others run who want this CPU, where several connections are watched: throughput for one more system call. On
    /// unless it is switched off.
    /// </summary>
    public bool LetsOthersRun { get; init; } = true;

    /// <summary>Is told of an exception of a posted action, which otherwise ends the process.</summary>
    public Action<Exception>? OnFault { get; init; }

    /// <summary>This system has what the loop stands on.</summary>
    [SupportedOSPlatformGuard("linux")]
    public static bool IsSupported => OperatingSystem.IsLinux();

    /// <summary>True on the loop's own thread.</summary>
    public bool IsCurrent => Thread.CurrentThread == thread;

    /// <summary>One buffer for all receives of this loop: what a handler reads into it must be used up before it returns.</summary>
    public byte[] ReceiveBuffer { get; } = GC.AllocateUninitializedArray<byte>(ReceiveBufferSize, pinned: true);

    /// <summary>Runs the action on the loop's thread, soon. From any thread.</summary>
    public void Post(Action<object?> action, object? state)
    {
        posted.Enqueue((action, state));
        if (Interlocked.Exchange(ref signalled, 1) == 0)
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
    public void Dispose()
    {
        if (stopping)
            return;
        stopping = true;
        epoll.Wake();
        if (!IsCurrent)
            thread.Join();
    }

    internal EpollSet Epoll => epoll;

    /// <summary>What one gathering send of this loop holds in place.</summary>
    internal MemoryHandle[] Pins { get; } = new MemoryHandle[LoopSocket.MostSegments];

    /// <summary>Tells the socket's owner once more that it is readable, after the others had their turn.</summary>
    internal void ReadAgain(LoopSocket socket) => again.Add(socket);

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
    }

    private void RunPosted()
    {
        // Cleared before the queue is looked at, so a post that comes in between wakes the loop once more.
        if (Interlocked.Exchange(ref signalled, 0) == 0)
            return;
        while (posted.TryDequeue(out var item))
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
    /// With several sockets it first lets others run who want this CPU, the sender among them (sched_yield(2), which returns at once when
    /// there are none): one wake-up then finds more to read, which took a third off the client's CPU time per 1 MB reply. A lone socket
    /// would only be answered later.
    /// </summary>
    private void Sleep(long waitNs)
    {
        if (LetsOthersRun && epoll.Connections > 1 && (waitNs < 0 || waitNs >= DueSoonNs))
            Thread.Yield();
        epoll.Wait(waitNs);
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
        if (again.Count == 0)
            return;
        againNow.AddRange(again);
        again.Clear();
        foreach (var socket in againNow)
            socket.OnEvents(Native.EpollIn);
        againNow.Clear();
    }
}
