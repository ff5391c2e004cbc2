using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Profile;

/// <summary>How much more CPU time of the server a call of one cell needs in a stage than a call of another cell.</summary>
/// <param name="Interval">The 95 % interval over pairs of sampled windows. Null with too few pairs.</param>
public sealed record StageDifference(string Stage, double Ns, Interval? Interval)
{
    /// <summary>True when the interval shows in which cell the stage costs more.</summary>
    public bool IsDecided => Interval is { } known && !known.Contains(0);
}
