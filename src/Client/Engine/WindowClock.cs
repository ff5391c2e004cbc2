namespace IpcBench.Client.Engine;

/// <summary>
/// The begin and the end of a window (its edges), and the start and the end of the load. Load begins before the window and
/// continues after it, so that the server is busy at both edges. The supervising thread sets these times. All threads read
/// them.
/// </summary>
internal sealed class WindowClock(long startNs)
{
    private long begin = long.MaxValue, end = long.MaxValue, stop = long.MaxValue;

    /// <summary>When the load starts. The due times of calls count from this time.</summary>
    public long StartNs { get; } = startNs;

    /// <summary>When the window began. <see cref="long.MaxValue"/> before the window has begun.</summary>
    public long BeginNs => Volatile.Read(ref begin);

    /// <summary>
    /// When the window ended. <see cref="long.MaxValue"/> before the end. If the window ended with its last call,
    /// MaxValue also after the end.
    /// </summary>
    public long EndNs => Volatile.Read(ref end);

    /// <summary>The time from which no call starts any more. <see cref="long.MaxValue"/> while calls may start.</summary>
    public long StopNs => Volatile.Read(ref stop);

    public void BeginAt(long ns) => Volatile.Write(ref begin, ns);

    /// <summary>Ends the window at this time, unless an earlier end is set.</summary>
    public void EndAt(long ns)
    {
        if (ns < EndNs)
            Volatile.Write(ref end, ns);
    }

    /// <summary>Ends the load at this time, unless an earlier end is set.</summary>
    public void StopAt(long ns)
    {
        if (ns < StopNs)
            Volatile.Write(ref stop, ns);
    }
}
