namespace IpcBench.Analysis.Published;

/// <summary>How reliable a published number is.</summary>
public enum PublishedOrigin
{
    /// <summary>The number was read in the write-up or its repository.</summary>
    Original,

    /// <summary>The number is from another text, which quotes the write-up. The quoted number is rounded and possibly wrong.</summary>
    SecondHand,

    /// <summary>The write-up is often quoted for this number, but the number could not be read in the write-up.</summary>
    AsReported,

    /// <summary>The write-up has a number here, but the number could not be read.</summary>
    NotFound,
}
