namespace IpcBench.Analysis.Published;

/// <summary>How reliable a published number is.</summary>
public enum PublishedOrigin
{
    /// <summary>The number was read in the write-up or its repository.</summary>
    Original,

    /// <summary>The number is quoted by somebody else who names the write-up. It is rounded and possibly wrong.</summary>
    SecondHand,

    /// <summary>The number is the one that the write-up is quoted for. It could not be read in the write-up.</summary>
    AsReported,

    /// <summary>The write-up has the number, but it could not be read.</summary>
    NotFound,
}
