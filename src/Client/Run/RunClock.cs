namespace IpcBench.Client.Run;

/// <summary>
/// Gives the UTC time for the time stamps of one run. The system clock is read only once. The monotonic clock adds the
/// time since then, so that a change of the system clock has no effect.
/// </summary>
internal sealed class RunClock(TimeProvider clock)
{
    private static readonly RunClock OfProcess = new(TimeProvider.System);

    private readonly DateTimeOffset begun = clock.GetUtcNow();
    private readonly long begunTimestamp = clock.GetTimestamp();

    /// <summary>The present UTC time, from one clock for all time stamps of this process.</summary>
    public static DateTimeOffset Now => OfProcess.UtcNow;

    public DateTimeOffset UtcNow => begun + clock.GetElapsedTime(begunTimestamp);
}
