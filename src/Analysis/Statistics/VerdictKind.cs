namespace IpcBench.Analysis.Statistics;

/// <summary>The verdicts. A winner is <see cref="Higher"/> or <see cref="Lower"/>.</summary>
public enum VerdictKind
{
    /// <summary>The whole interval lies above 1.</summary>
    Higher,

    /// <summary>The whole interval lies below 1.</summary>
    Lower,

    /// <summary>
    /// The interval contains 1 and lies within ±delta, or within ±<see cref="Verdict.WidestOfNoDifference"/> if that is wider.
    /// </summary>
    NoDifference,

    /// <summary>
    /// The interval contains 1 and is too wide for <see cref="NoDifference"/>, or there is no interval: more rounds are
    /// needed. Also the verdict that is withheld (<see cref="Verdict.Withheld"/>).
    /// </summary>
    CannotTell,
}
