namespace IpcBench.Analysis.Metrics;

/// <summary>Which direction of a metric is better.</summary>
public enum Better
{
    Higher,
    Lower,
}
