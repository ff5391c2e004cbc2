namespace IpcBench.Analysis.Metrics;

/// <summary>Which way of a metric is better.</summary>
public enum Better
{
    Higher,
    Lower,

    /// <summary>Neither: it explains, it does not judge.</summary>
    Neither,
}
