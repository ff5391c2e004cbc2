namespace IpcBench.Analysis.Metrics;

/// <summary>The outcome of a search for the highest rate that meets an objective.</summary>
public enum SearchOutcome
{
    Found,

    /// <summary>The objective held at the highest rate that a search tries, which is above the rate at full load.</summary>
    Everywhere,

    /// <summary>The objective did not hold at the lowest rate that a search tries.</summary>
    Nowhere,

    /// <summary>Too few windows are near the rate, they all met or all missed the objective, or the rate has no interval.</summary>
    Unknown,

    /// <summary>
    /// There are too few calls to judge the objective: its limit allows fewer than 100 bad calls among all calls in the
    /// windows near the rate, or in the later half of the windows if all of these met the objective.
    /// </summary>
    TooFewCalls,
}
