using IpcBench.Analysis.Statistics;

namespace IpcBench.Client.Plan;

/// <summary>
/// The windows of <c>--profile</c>, in which the server is sampled. They come after all rounds, and their calls are in no result.
/// </summary>
internal static class SampledWindows
{
    /// <summary>The time to read the samples of a window, before the next window begins.</summary>
    private static readonly TimeSpan Reading = TimeSpan.FromSeconds(1);

    /// <summary>The number of windows of each cell: the smallest number for which the difference of two cells has an interval.</summary>
    public static int Count { get; } = SignedRank.FewestFor(Joint.Alpha);

    public static TimeSpan Length { get; } = TimeSpan.FromMilliseconds(500);

    /// <summary>Returns the options with which a sampled window is measured.</summary>
    public static RunOptions Apply(RunOptions options) => options with { Duration = Length, FixedDuration = false, Calls = null };

    /// <summary>Returns how long all sampled windows take together, if calls are fast.</summary>
    public static TimeSpan TimeOf(BenchPlan plan) => !plan.Options.Profile ? TimeSpan.Zero : Count
        * plan.FirstPhase.Aggregate(TimeSpan.Zero, (sum, cell) => sum + plan.TimeOf(cell) - plan.Options.Duration + Length + Reading);
}
