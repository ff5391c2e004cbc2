namespace IpcBench.Analysis.Doubts;

/// <summary>Which numbers a doubt concerns. A winner is shown together with a doubt about its ratio.</summary>
public enum Reach
{
    /// <summary>The doubt concerns single numbers or their precision, and no ratio.</summary>
    Figures,

    /// <summary>The doubt concerns ratios of the named cells, which may be misleading.</summary>
    Ratios,

    /// <summary>The doubt concerns every ratio of the run.</summary>
    EveryRatio,
}
