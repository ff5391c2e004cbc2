using System.Text.Json.Serialization;

namespace IpcBench.Analysis.Results;

/// <summary>
/// Where the time of the server went in extra windows after the rounds (<c>--profile</c>). No other result includes these windows.
/// </summary>
public sealed record RunProfile
{
    /// <summary>
    /// Why the server was not sampled, or why the sampling ended early, as one sentence. Empty when the sampling was complete.
    /// </summary>
    public string Refused { get; init; } = "";

    /// <summary>A value of <see cref="By"/>.</summary>
    public const string Perf = "perf", Runtime = "runtime";

    /// <summary>
    /// <c>perf</c>: perf(1) sampled the CPU time of the server. <c>runtime</c>: the .NET runtime sampled its threads, without
    /// threads that waited or were in a system call of a socket.
    /// </summary>
    public string By { get; init; } = Perf;

    /// <summary>True when the samples are in proportion to CPU time.</summary>
    [JsonIgnore]
    public bool IsCpuTime => By == Perf;

    /// <summary>The nominal number of samples in a second of CPU time, or of a thread.</summary>
    public int SamplesPerSecond { get; init; }

    /// <summary>
    /// The names in <see cref="CellProfile.Stacks"/>: the module, <c>!</c> and the function. <c>?</c> is a function without a name.
    /// </summary>
    public IReadOnlyList<string> Frames { get; init; } = [];

    /// <summary>The sampled cells.</summary>
    public IReadOnlyList<CellProfile> Cells { get; init; } = [];
}
