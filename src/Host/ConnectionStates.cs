namespace IpcBench.Host;

/// <summary>
/// Counts the connections of endpoints by state, whoever made and whoever accepted them. Not for several threads at once.
/// </summary>
public abstract partial class ConnectionStates : IDisposable
{
    /// <summary>Null where the system does not tell: it is read from Linux's sock_diag(7).</summary>
    /// <param name="endpoints">Of a TCP endpoint the port alone counts; pipes are not counted.</param>
    public static ConnectionStates? Open(IReadOnlyList<LocalEndpoint> endpoints) => OperatingSystem.IsLinux() ? OpenLinux(endpoints) : null;

    /// <summary>One tally for each endpoint, in the order in which they were named.</summary>
    /// <param name="tallies">What they were at the last look; changed to what they are.</param>
    /// <param name="timeWait">Whether those in TIME_WAIT are counted too, which may be thousands; else they stay as they were.</param>
    public abstract void Read(Span<ConnectionTally> tallies, bool timeWait = true);

    public abstract void Dispose();
}

/// <summary>Connections of one endpoint at one moment.</summary>
/// <param name="Active">Established, with bytes or a request under way.</param>
/// <param name="Idle">Established and quiet.</param>
/// <param name="Waiting">Connecting, or not accepted yet.</param>
/// <param name="Closing">Closed by one side.</param>
/// <param name="TimeWait">Closed by both, the port still held.</param>
public readonly record struct ConnectionTally(int Active, int Idle, int Waiting, int Closing, int TimeWait);
