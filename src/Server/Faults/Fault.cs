namespace IpcBench.Server.Faults;

/// <summary>What one endpoint does wrong on purpose, so that tests can prove that the measuring notices.</summary>
internal sealed record Fault(long SpinUs, long DelayUs, WrongAnswer WrongAnswer)
{
    /// <summary>Nothing is done wrong.</summary>
    public static Fault None { get; } = new(0, 0, WrongAnswer.None);
}
