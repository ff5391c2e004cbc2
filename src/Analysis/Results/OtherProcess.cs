namespace IpcBench.Analysis.Results;

/// <summary>A process that is neither the client nor the server.</summary>
public sealed record OtherProcess
{
    /// <summary>The name of the program, without its path.</summary>
    public required string Name { get; init; }

    public required int Pid { get; init; }

    public required long CpuNs { get; init; }
}
