namespace IpcBench.Client.Engine;

/// <summary>One stretch of load over open connections: when it stops and when its calls start.</summary>
internal sealed record LoadWindow
{
    /// <summary>No call is started after this long; null: stop by <see cref="Calls"/> alone.</summary>
    public TimeSpan? Duration { get; init; }

    /// <summary>No more calls than this are started; null: stop by <see cref="Duration"/> alone.</summary>
    public long? Calls { get; init; }

    /// <summary>Open loop: calls per second over all streams; null: closed loop.</summary>
    public double? Rate { get; init; }

    /// <summary>Open loop: exponential instead of constant gaps between calls.</summary>
    public bool Poisson { get; init; }

    public long Seed { get; init; }
}

/// <summary>The two edges of a window; its end may be moved to now, once.</summary>
internal sealed class WindowClock(long startNs, long endNs)
{
    private long end = endNs;

    public long StartNs { get; } = startNs;

    /// <summary><see cref="long.MaxValue"/> while nothing but the number of calls will end the window.</summary>
    public long EndNs => Volatile.Read(ref end);

    /// <summary>Ends the window at that time, unless it ends earlier anyway.</summary>
    public void EndAt(long ns)
    {
        if (ns < EndNs)
            Volatile.Write(ref end, ns);
    }
}
