namespace IpcBench.Client.Run;

/// <summary>
/// The time of day for stamps of one run: read once and carried on by the steady clock, so that a clock that is set back moves no stamp.
/// </summary>
internal sealed class RunClock(TimeProvider clock)
{
    private static readonly RunClock OfProcess = new(TimeProvider.System);

    private readonly DateTimeOffset begun = clock.GetUtcNow();
    private readonly long begunTimestamp = clock.GetTimestamp();

    /// <summary>Of this process: UTC.</summary>
    public static DateTimeOffset Now => OfProcess.UtcNow;

    public DateTimeOffset UtcNow => begun + clock.GetElapsedTime(begunTimestamp);
}
