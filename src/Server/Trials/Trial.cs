namespace IpcBench.Server.Trials;

/// <summary>What one endpoint does wrong on purpose, so that tests can prove that the measuring notices.</summary>
internal sealed record Trial(long SpinUs, long DelayUs, Fault Fault)
{
    /// <summary>Nothing is done wrong.</summary>
    public static Trial None { get; } = new(0, 0, Fault.None);
}
