namespace IpcBench.Analysis.Results;

/// <summary>The mean and the maximum of the number of connections in one state, over the samples of a window.</summary>
public sealed record StateCount
{
    public required double Mean { get; init; }
    public required long Max { get; init; }
}
