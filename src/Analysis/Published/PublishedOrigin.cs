namespace IpcBench.Analysis.Published;

/// <summary>How well a published number is known here.</summary>
public enum PublishedOrigin
{
    /// <summary>Read in the write-up or its repository.</summary>
    Original,

    /// <summary>Quoted by somebody else who names the write-up; rounded, perhaps mistaken.</summary>
    SecondHand,

    /// <summary>What the write-up is quoted for; the number itself could not be read.</summary>
    AsReported,

    /// <summary>The write-up has it, and it could not be read.</summary>
    NotFound,
}
