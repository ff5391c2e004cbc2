namespace IpcBench.Analysis.Wording;

/// <summary>What the number of a metric counts.</summary>
public enum Unit
{
    PerSecond,
    BytesPerSecond,
    Bytes,

    /// <summary>A duration.</summary>
    Nanoseconds,

    /// <summary>CPU time of one call, always shown in µs.</summary>
    NanosecondsPerCall,

    Count,
    PerCall,

    /// <summary>A share: 0.5 is 50 %.</summary>
    Share,
}
