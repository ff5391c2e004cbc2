namespace IpcBench.Analysis.Published;

/// <summary>How the measured interval relates to a published ratio.</summary>
public enum Agreement
{
    /// <summary>Nothing was published, or the published number could not be read.</summary>
    NothingToCompare,

    /// <summary>The published range, widened by delta, contains the whole interval.</summary>
    Agrees,

    /// <summary>
    /// The interval overlaps the published range but reaches beyond it. The noisier a run is, the more published ratios
    /// are compatible with it.
    /// </summary>
    Compatible,

    /// <summary>The whole interval lies outside the published range.</summary>
    Differs,

    /// <summary>There is no interval, the verdict is withheld, a rate was 0, or the interval reaches from the range to 1.</summary>
    CannotTell,
}
