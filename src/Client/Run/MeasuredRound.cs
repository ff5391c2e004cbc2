using IpcBench.Analysis.Results;

namespace IpcBench.Client.Run;

/// <summary>A measurement, and whether the server survived it.</summary>
/// <param name="ServerLost">Why the server cannot be used any more, as one sentence. Null when it can.</param>
internal sealed record MeasuredRound(Measurement Round, string? ServerLost)
{
    /// <summary>The window, if slow calls made it longer than planned. Otherwise null.</summary>
    public LongerWindow? Lengthened { get; init; }

    /// <summary>When the window, or each of its slices, was measured.</summary>
    public IReadOnlyList<WindowSpan> Spans { get; init; } = [];
}
