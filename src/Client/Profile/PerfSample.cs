using IpcBench.Analysis.Profile;

namespace IpcBench.Client.Profile;

/// <summary>A sample of perf(1).</summary>
/// <param name="Thread">The name of the thread.</param>
/// <param name="Timestamp">The monotonic clock in ns.</param>
/// <param name="Stack">The frames, the innermost first.</param>
internal sealed record PerfSample(string Thread, int Process, long Timestamp, IReadOnlyList<StackFrame> Stack);
