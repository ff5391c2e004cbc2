namespace IpcBench.Host;

/// <summary>The CPU time of other processes.</summary>
/// <param name="TotalNs">User and kernel time of all other processes, in ns.</param>
/// <param name="Busiest">
/// The running processes that used most CPU time, the busiest first. There are at most <see cref="Named"/> of them.
/// </param>
public sealed record OtherUsage(long TotalNs, IReadOnlyList<ProcessShare> Busiest)
{
    public const int Named = 3;

    /// <summary>CPU time of kernel threads in ns. 0 when the system does not show them.</summary>
    public long KernelThreadsNs { get; init; }

    /// <summary>The time between the two readings.</summary>
    public TimeSpan Span { get; init; }

    /// <summary>
    /// Computes the CPU time in a window that is shorter than the time between the readings, as if the CPU use had been
    /// constant. The readings lie outside the window, because each reading takes a while.
    /// </summary>
    public OtherUsage Within(TimeSpan window)
    {
        if (window >= Span)
            return this;
        var share = window / Span;
        return this with
        {
            TotalNs = (long)(TotalNs * share),
            Busiest = [.. Busiest.Select(one => one with { CpuNs = (long)(one.CpuNs * share) })],
            KernelThreadsNs = (long)(KernelThreadsNs * share),
            Span = window,
        };
    }
}
