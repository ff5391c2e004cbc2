using IpcBench.Analysis.Profile;

namespace IpcBench.Client.Profile;

/// <summary>A sampled stack.</summary>
/// <param name="Thread">The name of the thread.</param>
/// <param name="Timestamp">In ticks of <see cref="System.Diagnostics.Stopwatch"/>.</param>
/// <param name="Stack">The frames, the innermost first.</param>
internal sealed record StackSample(string Thread, int Process, long Timestamp, IReadOnlyList<StackFrame> Stack);
