using IpcBench.Client.Plan;

namespace IpcBench.Client.Machine;

/// <summary>Counts the connections of endpoints by state, whoever made and whoever accepted them. Not for several threads at once.</summary>
internal abstract partial class ConnectionStates : IDisposable
{
    /// <summary>Null where the system does not tell: it is read from Linux's sock_diag(7).</summary>
    public static ConnectionStates? Open(IReadOnlyList<Watch> watches) => OperatingSystem.IsLinux() ? OpenLinux(watches) : null;

    /// <summary>One tally for each endpoint, in the order in which they were named.</summary>
    /// <param name="tallies">What they were at the last look; changed to what they are.</param>
    /// <param name="timeWait">Whether those in TIME_WAIT are counted too, which may be thousands; else they stay as they were.</param>
    public abstract void Read(Span<ConnectionTally> tallies, bool timeWait = true);

    public abstract void Dispose();
}
