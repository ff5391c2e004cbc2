using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Versioning;
using System.Threading.Tasks.Sources;
using IpcBench.Protocol.V1;
using IpcBench.Transports.Loop;

namespace IpcBench.Server.Services;

/// <summary>
/// When the messages of one stream came and how long they were under way, in memory that does not grow with the stream: where slots of
/// time run out they become twice as long, and times are counted to 0.2 %.
/// </summary>
internal sealed class ArrivalLog
{
    // 2^20 ns, about 1 ms: a window of a second begins and ends within a thousandth of it, and counts are interpolated there.
    private const int FirstSlotBits = 20, Slots = 1024;

    // Each power of two has so many steps, none wider than 1/256 of the value.
    private const int StepBits = 8, Steps = 1 << StepBits;

    private readonly uint[]?[] times = new uint[64][];
    private int[] slots = [];
    private int slotBits = FirstSlotBits, last;
    private long begin;

    /// <summary>Counts a message whose last byte has come.</summary>
    /// <param name="stamp">When it was due, in ns of the same clock; 0: not told, and how long it took is not counted.</param>
    /// <param name="nowNs">Now, never less than the last time.</param>
    public void Add(ulong stamp, long nowNs)
    {
        if (slots.Length == 0)
            (slots, begin) = (new int[Slots], nowNs);
        while ((nowNs - begin) >> slotBits >= Slots)
            Widen();
        last = (int)((nowNs - begin) >> slotBits);
        slots[last]++;
        if (stamp != 0)
            Count(Math.Max(0, nowNs - (long)stamp));
    }

    /// <summary>As a message; null when none has come.</summary>
    public Arrivals? Told()
    {
        if (slots.Length == 0)
            return null;
        var told = new Arrivals { BeginNs = begin, SlotNs = 1L << slotBits };
        foreach (var count in slots.AsSpan(0, last + 1))
            told.Slots.Add(count);
        for (var power = 0; power < times.Length; power++)
        {
            for (var step = 0; times[power] is { } counts && step < Steps; step++)
            {
                if (counts[step] == 0)
                    continue;
                told.LatencyNs.Add(MiddleOf(power, step));
                told.LatencyCount.Add(counts[step]);
            }
        }
        return told;
    }

    private void Widen()
    {
        for (var slot = 0; slot < Slots / 2; slot++)
            slots[slot] = slots[2 * slot] + slots[2 * slot + 1];
        Array.Clear(slots, Slots / 2, Slots / 2);
        slotBits++;
    }

    /// <summary>Below 256 each ns has a step; above, the steps of a power of two have its highest nine bits.</summary>
    private void Count(long ns)
    {
        var power = Math.Max(0, BitOperations.Log2((ulong)ns | 1) - StepBits + 1);
        (times[power] ??= new uint[Steps])[power == 0 ? ns : (ns >> (power - 1)) - Steps]++;
    }

    private static long MiddleOf(int power, int step) =>
        power == 0 ? step : ((Steps + (long)step) << (power - 1)) + ((1L << (power - 1)) >> 1);
}

/// <summary>
/// Waits until messages of one stream are due: to some µs where there is an event loop; elsewhere (Windows) to the steps of the system's
/// timers, and what they are late by is in the messages' latency.
/// </summary>
internal sealed class MessagePace : ILoopTimer, IValueTaskSource
{
    private const long NsPerMs = 1_000_000;

    // Made when the first stream is paced.
    private static readonly Lock Making = new();

    [SupportedOSPlatform("linux")]
    private static EventLoop Loop
    {
        get
        {
            lock (Making)
                return field ??= new EventLoop("pace");
        }
    }

    private ManualResetValueTaskSourceCore<bool> core = new() { RunContinuationsAsynchronously = true };
    private long dueNs;

    /// <exception cref="OperationCanceledException">Cancelled; on an event loop a second later at the most.</exception>
    public async ValueTask UntilAsync(long due, CancellationToken cancellation)
    {
        for (var early = due - MonotonicClock.NowNs; early > 0; early = due - MonotonicClock.NowNs)
        {
            cancellation.ThrowIfCancellationRequested();
            if (!OperatingSystem.IsLinux())
            {
                await Task.Delay((int)Math.Min(1 + early / NsPerMs, 1000), cancellation);
                continue;
            }
            core.Reset();
            dueNs = due - Math.Max(0, early - 1000 * NsPerMs);
            Loop.Post(Begin, this);
            await new ValueTask(this, core.Version);
        }
    }

    void ILoopTimer.OnDue() => core.SetResult(true);

    void IValueTaskSource.GetResult(short token) => core.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => core.GetStatus(token);

    void IValueTaskSource.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        core.OnCompleted(continuation, state, token, flags);

    [SupportedOSPlatform("linux")]
    private static void Begin(object? state)
    {
        var pace = (MessagePace)state!;
        Loop.Schedule(pace.dueNs, pace);
    }
}

/// <summary>
/// Awaited now and then by whoever writes without end: all other work that waits for a thread comes first. Writing on a stream that was
/// given up never waits, and the news of that is such work, too; a few hundred such loops had all threads for minutes.
/// </summary>
internal readonly struct FairTurn : INotifyCompletion
{
    public bool IsCompleted => false;

    public FairTurn GetAwaiter() => this;

    public void GetResult()
    {
    }

    // Task.Yield queues on the thread's own queue, which comes before what waits for all threads.
    public void OnCompleted(Action continuation) =>
        ThreadPool.UnsafeQueueUserWorkItem(static next => next(), continuation, preferLocal: false);
}
