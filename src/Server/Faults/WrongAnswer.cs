namespace IpcBench.Server.Faults;

/// <summary>A wrong answer given on purpose.</summary>
internal enum WrongAnswer
{
    None,

    /// <summary>One payload byte fewer than asked for, well framed.</summary>
    Short,

    /// <summary>The whole payload, then INTERNAL in the trailers.</summary>
    Status,
}
