namespace IpcBench.Transports.Loop;

/// <summary>
/// How long before a timer is due a thread should stop sleeping and spin: as long as the system wakes it late, which it learns,
/// never more than 50 us, and never more than a tenth of all the time, so that a core is not burnt next to the server that is measured.
/// </summary>
public sealed class SpinBudget
{
    private const long Longest = 50_000;
    private const long ShortestSleep = 5_000; // to fall asleep and wake takes about as long

    private long lateness = 10_000;
    private long credit = Longest;
    private long lastNow;
    private long lastSleep;

    /// <summary>How to wait for something due at <paramref name="dueNs"/>.</summary>
    /// <returns>ns to sleep; 0: spin.</returns>
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
        // A sleep that ended early was ended by an event and says nothing of the clock.
        if (lastSleep > 0 && took >= lastSleep)
            lateness += (Math.Min(took - lastSleep, Longest) - lateness) / 16;
    }
}
