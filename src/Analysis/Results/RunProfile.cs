namespace IpcBench.Analysis.Results;

/// <summary>
/// Where the CPU time of the server went in extra windows after the rounds (<c>--profile</c>). No other result includes these windows.
/// </summary>
public sealed record RunProfile
{
    /// <summary>
    /// Why the server was not sampled, or why the sampling ended early, as one sentence. Empty when the sampling was complete.
    /// </summary>
    public string Refused { get; init; } = "";

    /// <summary>The nominal number of samples in a second of CPU time.</summary>
    public int SamplesPerSecond { get; init; }

    /// <summary>
    /// The names in <see cref="CellProfile.Stacks"/>: the module, <c>!</c> and the function. <c>?</c> is a function without a name.
    /// </summary>
    public IReadOnlyList<string> Frames { get; init; } = [];

    /// <summary>The sampled cells.</summary>
    public IReadOnlyList<CellProfile> Cells { get; init; } = [];
}
