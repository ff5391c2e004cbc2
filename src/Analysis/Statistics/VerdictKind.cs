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
    /// The interval contains 1 and is too wide for <see cref="NoDifference"/>, there is no interval, or rounds with a
    /// value of 0 were left out. A withheld verdict is of this kind too (<see cref="Verdict.Withheld"/>).
    /// </summary>
    CannotTell,
}
