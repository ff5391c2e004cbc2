namespace IpcBench.Analysis.Wording;

/// <summary>The unit of a metric's value.</summary>
public enum Unit
{
    PerSecond,
    BytesPerSecond,
    Bytes,

    /// <summary>A duration, shown in ns, µs, ms or s.</summary>
    Nanoseconds,

    /// <summary>CPU time of one call, always shown in µs.</summary>
    NanosecondsPerCall,

    Count,
    PerCall,

    /// <summary>A share: 0.5 is 50 %.</summary>
    Share,
}
