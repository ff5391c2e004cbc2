namespace IpcBench.Analysis.Doubts;

/// <summary>
/// Which numbers a doubt concerns. If there is a doubt about a ratio, reports show the winner together with this doubt.
/// </summary>
public enum Reach
{
    /// <summary>The doubt concerns single numbers or their precision, and no ratio.</summary>
    Figures,

    /// <summary>The doubt concerns ratios of the named cells, which may be misleading.</summary>
    Ratios,

    /// <summary>The doubt concerns every ratio of the run.</summary>
    EveryRatio,
}
