namespace IpcBench.Analysis.Metrics;

/// <summary>The outcome of a search for the highest rate that meets an objective.</summary>
public enum SearchOutcome
{
    Found,

    /// <summary>The objective held at every rate that was tried, up to more than the rate at full load.</summary>
    Everywhere,

    /// <summary>The objective did not hold at the lowest rate that was tried.</summary>
    Nowhere,

    /// <summary>There are too few windows, or the rate lies outside the rates that were tried.</summary>
    Unknown,

    /// <summary>
    /// There are too few calls to judge the objective: fewer than 100 of the calls near the rate, or at the highest
    /// rates, may break it.
    /// </summary>
    TooFewCalls,
}
