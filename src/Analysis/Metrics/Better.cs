namespace IpcBench.Analysis.Metrics;

/// <summary>Which direction of a metric is better.</summary>
public enum Better
{
    Higher,
    Lower,

    /// <summary>No direction is better, because the metric only explains other metrics.</summary>
    Neither,
}
