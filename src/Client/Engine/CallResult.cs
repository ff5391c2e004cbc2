namespace IpcBench.Client.Engine;

/// <summary>The result of one call. A failure is a value, not an exception.</summary>
internal readonly struct CallResult
{
    private const string CutOffMark = "cut off", OverMark = "over";

    private readonly string? failure;

    private CallResult(string? failure, long bytes = 0) => (this.failure, Bytes) = (failure, bytes);

    /// <summary>Payload bytes of a correct reply.</summary>
    public long Bytes { get; }

    /// <summary>Makes the result of a call whose reply was correct in every respect.</summary>
    public static CallResult Ok(long bytes) => new(null, bytes);

    /// <summary>The result of a call that was cut off, at its time-out or at the time limit after the window.</summary>
    public static CallResult CutOff => new(CutOffMark);

    /// <summary>The result when a stream waited for a message until the load was over. This wait does not count as a call.</summary>
    public static CallResult Over => new(OverMark);

    /// <param name="kind">One of a few short texts: <c>status 13</c>, <c>reset</c>, <c>wrong length</c>.</param>
    public static CallResult Failed(string kind) => new(kind);

    public bool IsOk => failure is null;

    public bool IsCutOff => ReferenceEquals(failure, CutOffMark);

    public bool IsOver => ReferenceEquals(failure, OverMark);

    /// <summary>The kind of failure. Empty for calls that succeeded.</summary>
    public string Kind => failure ?? "";
}
