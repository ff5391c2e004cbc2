namespace IpcBench.Analysis.Statistics;

/// <summary>The three verdicts, the first of them by its direction.</summary>
public enum VerdictKind
{
    /// <summary>The whole interval lies above 1.</summary>
    Higher,

    /// <summary>The whole interval lies below 1.</summary>
    Lower,

    /// <summary>The interval holds 1 and lies within what does not matter.</summary>
    NoDifference,

    /// <summary>Neither: more rounds are needed.</summary>
    CannotTell,
}
