using IpcBench.Transports.Loop;

namespace IpcBench.Client.Engine;

/// <summary>
/// Moves a window through its stages: load before the window, the window, load after the window, no load. The load after the
/// window lasts until the calls that were in flight at the window's end have ended. Otherwise these calls would run on an
/// idle server, and their latencies would be too short.
/// </summary>
internal sealed class WindowStages(WindowRun run, IReadOnlyList<Scheduler> schedulers, long timeoutNs, IWindowEdges edges)
{
    private const long PollNs = 2_000_000;

    private Stage stage = run.Window.Lead > TimeSpan.Zero ? Stage.Lead : Stage.Window;
    private long lengthNs = run.Window.Duration is { } duration ? Ns(duration) : long.MaxValue;

    private enum Stage
    {
        Lead,
        Window,
        Tail,
        Drain,
    }

    /// <summary>True when the window did not begin because no call of the load before it succeeded.</summary>
    public bool IsUnanswered { get; private set; }

    /// <summary>True while calls may still be sent.</summary>
    public bool HasLoad => stage != Stage.Drain;

    /// <summary>True when the window is over or will not begin.</summary>
    public bool IsOver => stage is Stage.Tail or Stage.Drain;

    private LoadWindow Window => run.Window;

    private IEnumerable<LatencyRecorder> Recorders => schedulers.SelectMany(scheduler => scheduler.Recorders);

    /// <summary>Returns for how many ns the stage cannot change. <see cref="Step"/> need not be called during this time.</summary>
    public long QuietNs(long now) => stage switch
    {
        Stage.Lead when run.Clock.StartNs + Ns(Window.Lead) - now is > 0 and var left => left,
        Stage.Window => lengthNs == long.MaxValue ? lengthNs : run.Clock.BeginNs + lengthNs - now,
        Stage.Drain => long.MaxValue,
        _ => PollNs,
    };

    /// <summary>Moves to the next stage if the present stage is over.</summary>
    /// <param name="tailLimitNs">The longest wait for calls that were in flight at the window's end.</param>
    public void Step(long now, long tailLimitNs)
    {
        if (stage == Stage.Lead && IsLeadOver(now))
        {
            if (Recorders.Any(recorder => recorder.Lead is { Count: > 0 }))
                Begin();
            else
                Give(now, unanswered: true);
        }
        if (stage == Stage.Window && lengthNs != long.MaxValue && now >= run.Clock.BeginNs + lengthNs)
            End();
        if (stage == Stage.Tail && (now - run.Clock.EndNs >= tailLimitNs || Recorders.Sum(recorder => recorder.Crossing) == 0))
            Stop();
    }

    /// <summary>Ends the window now. If the window has not begun, it is not measured.</summary>
    /// <param name="withLoad">True when load continues until the calls that are in flight at the window's end have ended.</param>
    public void Cut(long now, bool withLoad)
    {
        if (stage == Stage.Lead)
            Give(now, unanswered: false);
        else if (stage == Stage.Window)
            End();
        if (stage == Stage.Tail && !withLoad)
            Stop();
    }

    /// <summary>Called when no call is in flight any more.</summary>
    public void Finish()
    {
        if (stage == Stage.Window)
            edges.OnEnd();
        stage = Stage.Drain;
    }

    /// <summary>
    /// True when the load before the window has lasted long enough. In a closed loop, the number of ended calls must also be
    /// at least half the number of streams, unless the time-out has passed. The median of fewer calls would be too short,
    /// since short calls end first.
    /// </summary>
    private bool IsLeadOver(long now)
    {
        var elapsed = now - run.Clock.StartNs - Ns(Window.Lead);
        if (elapsed < 0)
            return false;
        var streams = schedulers.SelectMany(scheduler => scheduler.Connections)
            .Sum(connection => Math.Min(connection.Streams.Count, connection.StreamsAllowed ?? connection.Streams.Count));
        return Window.Rate is not null || elapsed >= timeoutNs
            || Recorders.Sum(recorder => recorder.LeadEnded) >= Math.Max(1, streams / 2);
    }

    private void Begin()
    {
        if (!Window.IsContinued)
        {
            run.LeadMedianNs = WindowTotals.Merge(Recorders.Select(recorder => recorder.Lead)).ToCounts().ValueAt(50);
            lengthNs = Math.Max(lengthNs, Window.Medians * run.LeadMedianNs.Value);
        }
        run.PlannedNs = lengthNs == long.MaxValue ? null : lengthNs;
        edges.OnBegin();
        run.Clock.BeginAt(MonotonicClock.NowNs);
        foreach (var connection in Window.IsContinued ? [] : schedulers.SelectMany(scheduler => scheduler.Connections))
            connection.OnWindow();
        stage = Stage.Window;
    }

    private void End()
    {
        run.Clock.EndAt(MonotonicClock.NowNs);
        edges.OnEnd();
        stage = Stage.Tail;
        if (Window.Calls is not null)
            Stop();
    }

    private void Stop()
    {
        run.Clock.StopAt(MonotonicClock.NowNs);
        stage = Stage.Drain;
    }

    /// <summary>Ends the load without measuring a window.</summary>
    private void Give(long now, bool unanswered)
    {
        IsUnanswered = unanswered;
        run.Clock.BeginAt(now);
        run.Clock.EndAt(now);
        Stop();
    }

    private static long Ns(TimeSpan time) => (long)(time.TotalSeconds * 1e9);
}
