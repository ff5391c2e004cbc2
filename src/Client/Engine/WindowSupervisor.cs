using System.Globalization;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Engine;

/// <summary>
/// Ends a window at its planned time, or earlier if the server is gone or the caller cancels. Cuts off calls that
/// take too long, so that every window ends.
/// </summary>
internal sealed class WindowSupervisor(
    WindowRun run, EngineOptions options, IReadOnlyList<Scheduler> schedulers, WindowReadings readings)
{
    /// <summary>
    /// The time after which a server without an open connection counts as gone. A server that lets no call begin counts as gone after
    /// this time or the time-out, whichever is longer, plus the longest gap between calls.
    /// </summary>
    private const long LostAfterNs = 2_000_000_000;

    /// <summary>Steps are at most 100 ms apart, unless this process stands still.</summary>
    private const long MostPerStepNs = 200_000_000;

    /// <summary>How long calls may take to end after they were cut off.</summary>
    private const long GraceNs = 2_000_000_000;

    private static readonly TimeSpan CancelledDrain = TimeSpan.FromMilliseconds(500);

    private readonly WindowStages stages = new(run, schedulers, Ns(options.Timeout), readings);
    private readonly List<Task> orders = [];
    private TimeSpan drainLimit = options.Timeout;
    private long watchedNs, lastStepNs;
    private long? downSince;
    private long begunBefore = -1;
    private long idleSince;

    /// <summary>Why the server (or this tool) is unusable, in one sentence. Null when all is well.</summary>
    public string? Lost { get; private set; }

    /// <summary>
    /// True when calls did not end even after they were cut off. Nothing waits for these calls any more, and the
    /// schedulers cannot be used again.
    /// </summary>
    public bool IsAbandoned { get; private set; }

    /// <summary>True when the window did not begin because no call was answered before its planned begin.</summary>
    public bool IsUnanswered => stages.IsUnanswered && Lost is null;

    public async Task WatchAsync(CancellationToken cancellation)
    {
        var tick = (long)(Math.Clamp(options.Timeout.TotalMilliseconds / 10, 5, 100) * 1e6);
        var (accepting, nextOrders) = (true, 0L);
        while (!run.Drained.IsCompleted)
        {
            var quiet = Math.Clamp(stages.QuietNs(MonotonicClock.NowNs), 0, tick);
            await Task.WhenAny(run.Drained, Task.Delay((int)Math.Ceiling(quiet / 1e6), CancellationToken.None));
            var now = MonotonicClock.NowNs;
            if (run.Drained.IsCompleted)
                break;
            Step(now, cancellation);
            if (accepting && !stages.HasLoad)
            {
                accepting = false;
                Order(EndLoad);
            }
            var late = stages.IsOver ? now - run.Clock.EndNs - Ns(drainLimit) : -1;
            if (late >= GraceNs)
            {
                Abandon();
                return;
            }
            if (now < nextOrders)
                continue;
            nextOrders = now + tick;
            // On .NET's threads, a call may set its timer just after the end of the load.
            if (!accepting)
                Order(scheduler => scheduler.HurryTimers());
            Order(scheduler => CutOff(scheduler, late >= 0 ? long.MaxValue : now - Ns(options.Timeout)));
            orders.RemoveAll(order => order.IsCompletedSuccessfully);
        }
        stages.Finish();
        // On .NET's threads, an order such as a cut-off may run late. Without this wait, a late order could act on calls of the
        // next window.
        await Task.WhenAll(orders);
    }

    private void Step(long now, CancellationToken cancellation)
    {
        // While this process stands still (a paused machine, too few CPUs), no connection can be opened. So one step counts as at most
        // MostPerStepNs, and a server never counts as gone because the client was stopped.
        watchedNs += Math.Min(now - lastStepNs, MostPerStepNs);
        lastStepNs = now;
        if (cancellation.IsCancellationRequested)
        {
            drainLimit = drainLimit < CancelledDrain ? drainLimit : CancelledDrain;
            stages.Cut(now, withLoad: true);
        }
        if (Lost is null && !stages.IsOver && (Lost = WhyLost()) is not null)
            stages.Cut(now, withLoad: false);
        stages.Step(now, Ns(drainLimit));
        if (stages.IsUnanswered)
            drainLimit = TimeSpan.Zero;
    }

    private static long Ns(TimeSpan time) => (long)(time.TotalSeconds * 1e9);

    private void Abandon()
    {
        IsAbandoned = true;
        var seconds = drainLimit.TotalSeconds + GraceNs / 1e9;
        Lost = string.Create(CultureInfo.InvariantCulture,
            $"calls to {options.Address} had not ended {seconds:0.#} s after the window, so this tool counts these calls as cut off ")
            + "(the client got too little CPU time, or the tool has a fault: please report this fault)";
    }

    private string? WhyLost()
    {
        if (IsDown())
        {
            return string.Create(CultureInfo.InvariantCulture,
                $"the server at {options.Address} is gone: within {LostAfterNs / 1e9:0} s no lost connection could be reopened");
        }
        var patience = Math.Max(LostAfterNs, Ns(options.Timeout)) + LongestGapNs();
        if (!IsIdle() || watchedNs - idleSince < patience)
            return null;
        var reason = Connections().Max(connection => connection.StreamsAllowed) == 0 ? ": its SETTINGS_MAX_CONCURRENT_STREAMS is 0" : "";
        return string.Create(CultureInfo.InvariantCulture,
            $"the server at {options.Address} let no call begin for {patience / 1e9:0.#} s{reason}");
    }

    /// <summary>
    /// Returns the longest gap to expect between calls that have due times. In a Poisson process, one gap in half a billion is longer
    /// than 20 times the mean.
    /// </summary>
    private long LongestGapNs() => (run.Window.Rate is { } rate ? (long)Math.Min(20e9 / rate, 1e17) : 0)
        + (run.Window.Flow == Flow.In ? 2 * Ns(options.Timeout) : 0); // within this time, messages that do not arrive are cut off

    private bool IsDown()
    {
        if (Connections().Any(connection => connection.IsUp))
            downSince = null;
        else
            downSince ??= watchedNs;
        return watchedNs - downSince >= LostAfterNs;
    }

    /// <summary>True when no call is in flight and no call has begun since <see cref="idleSince"/>.</summary>
    private bool IsIdle()
    {
        var (begun, ended) = (0L, 0L);
        foreach (var recorder in schedulers.SelectMany(scheduler => scheduler.Recorders))
            (begun, ended) = (begun + recorder.AllBegun, ended + recorder.AllEnded);
        if (begun == begunBefore && begun == ended)
            return true;
        (begunBefore, idleSince) = (begun, watchedNs);
        return false;
    }

    private IEnumerable<IConnection> Connections() => schedulers.SelectMany(scheduler => scheduler.Connections);

    private static void EndLoad(Scheduler scheduler)
    {
        foreach (var connection in scheduler.Connections)
            connection.SetAccepting(false);
        scheduler.HurryTimers();
    }

    private static void CutOff(Scheduler scheduler, long sentBefore)
    {
        foreach (var connection in scheduler.Connections)
            connection.CutOff(sentBefore);
    }

    private void Order(Action<Scheduler> order)
    {
        orders.Add(Task.WhenAll(schedulers.Select(scheduler => scheduler.RunAsync(() =>
        {
            order(scheduler);
            return Task.CompletedTask;
        }))));
    }
}
