namespace IpcBench.Client.Run;

/// <summary>When a window or slice was measured, in ticks of the monotonic clock (<see cref="System.Diagnostics.Stopwatch"/>).</summary>
internal readonly record struct WindowSpan(long From, long To);
