namespace IpcBench.Transports.Loop;

/// <summary>
/// Decides how long a thread sleeps before its timer is due, and how long it then spins until the timer is due. A spin
/// lasts 1.5 times the mean lateness of the system's wake-ups, but at most 50 us. All spins together take at most a
/// tenth of the elapsed time, because the measured server needs the CPU.
/// </summary>
public sealed class SpinBudget
{
    private const long Longest = 50_000;
    private const long ShortestSleep = 5_000; // falling asleep and waking up take about this long

    private long lateness = 10_000;
    private long credit = Longest;
    private long lastNow;
    private long lastSleep;

    /// <summary>Decides how long to sleep before the time <paramref name="dueNs"/>.</summary>
    /// <returns>The sleep in ns. 0 to spin.</returns>
    public long Next(long nowNs, long dueNs)
    {
        Account(nowNs);
        var allowance = Math.Min(Math.Min(lateness * 3 / 2, Longest), credit);
        lastSleep = Math.Max(0, dueNs - nowNs - allowance);
        if (lastSleep < ShortestSleep && credit > 0)
            lastSleep = 0;
        lastNow = nowNs;
        return lastSleep;
    }

    private void Account(long nowNs)
    {
        var took = nowNs - lastNow;
        if (lastNow == 0)
            return;
        credit = lastSleep == 0 ? Math.Max(0, credit - took) : Math.Min(Longest, credit + took / 10);
        // If an event ended the sleep before its time, the sleep does not show how late timers are.
        if (lastSleep > 0 && took >= lastSleep)
            lateness += (Math.Min(took - lastSleep, Longest) - lateness) / 16;
    }
}
