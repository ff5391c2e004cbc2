namespace IpcBench.Analysis.Results;

/// <summary>A sampled window of a cell.</summary>
public sealed record ProfileWindow
{
    /// <summary>Number of the window, from 1. Two cells' windows with the same number were measured shortly after each other.</summary>
    public required int Number { get; init; }

    /// <summary>The number of calls in the window, counted like <see cref="Measurement.Credited"/>.</summary>
    public required double Calls { get; init; }

    /// <summary>CPU time of the server in the window in ns. 0 when it is unknown.</summary>
    public required long ServerCpuNs { get; init; }

    /// <summary>The number of samples of each stage.</summary>
    public required IReadOnlyDictionary<string, long> Samples { get; init; }
}
