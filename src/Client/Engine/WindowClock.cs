namespace IpcBench.Client.Engine;

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
