namespace IpcBench.Server.Faults;

/// <summary>What one endpoint does wrong on purpose, so that tests can prove that the measuring notices.</summary>
internal sealed record Fault(long SpinUs, long DelayUs, WrongAnswer WrongAnswer)
{
    /// <summary>Nothing is done wrong.</summary>
    public static Fault None { get; } = new(0, 0, WrongAnswer.None);
}

/// <summary>A wrong answer given on purpose.</summary>
internal enum WrongAnswer
{
    None,

    /// <summary>One payload byte fewer than asked for, well framed.</summary>
    Short,

    /// <summary>The whole payload, then INTERNAL in the trailers.</summary>
    Status,
}
