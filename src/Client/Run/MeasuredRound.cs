using IpcBench.Analysis.Results;

namespace IpcBench.Client.Run;

/// <summary>A measurement, and whether the server survived it.</summary>
/// <param name="ServerLost">One sentence when the server is gone. Null when all is well.</param>
internal sealed record MeasuredRound(Measurement Round, string? ServerLost)
{
    /// <summary>The longer window, when the window had to be longer than planned. Null otherwise.</summary>
    public LongerWindow? Lengthened { get; init; }

    /// <summary>When the window, or each of its slices, was measured.</summary>
    public IReadOnlyList<WindowSpan> Spans { get; init; } = [];
}
