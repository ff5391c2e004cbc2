namespace IpcBench.Client.Engine;

/// <summary>One stretch of load over open connections: when it stops and when its calls start.</summary>
internal sealed record LoadWindow
{
    /// <summary>No call is started after this long; null: stop by <see cref="Calls"/> alone.</summary>
    public TimeSpan? Duration { get; init; }

    /// <summary>No more calls than this are started; null: stop by <see cref="Duration"/> alone.</summary>
    public long? Calls { get; init; }

    /// <summary>Open loop: calls per second over all streams; null: closed loop.</summary>
    public double? Rate { get; init; }

    /// <summary>Open loop: exponential instead of constant gaps between calls.</summary>
    public bool Poisson { get; init; }

    public long Seed { get; init; }
}
