namespace IpcBench.Analysis.Results;

/// <summary>The client's own ceiling: the same client against a responder of almost no cost on the same kind of socket.</summary>
public sealed record Calibration
{
    public required string Transport { get; init; }
    public required long Size { get; init; }
    public required int Connections { get; init; }
    public int Streams { get; init; } = 1;

    /// <summary>Calls per second that the client reached.</summary>
    public required double Rate { get; init; }

    /// <summary>Client CPU per call there, in ns.</summary>
    public double ClientCpuNs { get; init; }
}
