namespace IpcBench.Analysis.Published;

/// <summary>What the measured interval says of a published ratio.</summary>
public enum Agreement
{
    /// <summary>Nothing was published, or it could not be read.</summary>
    NothingToCompare,

    /// <summary>The interval reaches the published ratio and leaves out what would contradict it.</summary>
    Agrees,

    /// <summary>The whole interval lies beside the published ratio.</summary>
    Differs,

    /// <summary>Too few rounds, or an interval so wide that it holds the published ratio and no difference as well.</summary>
    CannotTell,
}
