namespace IpcBench.Host;

/// <summary>Counts the connections of endpoints by state, whichever process opened or accepted them. For one thread at a time.</summary>
public abstract partial class ConnectionStates : IDisposable
{
    /// <summary>Null where the system does not tell the states; they are read from Linux's sock_diag(7).</summary>
    /// <param name="endpoints">A TCP endpoint stands for its port on every address; pipes are not counted.</param>
    public static ConnectionStates? Open(IReadOnlyList<LocalEndpoint> endpoints) => OperatingSystem.IsLinux() ? OpenLinux(endpoints) : null;

    /// <summary>Gives one tally for each endpoint, in the order of <see cref="Open"/>.</summary>
    /// <param name="tallies">The previous tallies, which are overwritten.</param>
    /// <param name="timeWait">Also count connections in TIME_WAIT, of which there may be thousands; false keeps the previous count.</param>
    public abstract void Read(Span<ConnectionTally> tallies, bool timeWait = true);

    public abstract void Dispose();
}

/// <summary>The connections of one endpoint at one moment.</summary>
/// <param name="Active">Established, with queued bytes or a request in flight.</param>
/// <param name="Idle">Established, without queued bytes and without a request in flight.</param>
/// <param name="Waiting">Connecting, or not accepted yet.</param>
/// <param name="TimeWait">Closed by both sides; the local port is still held (TIME_WAIT).</param>
public readonly record struct ConnectionTally(int Active, int Idle, int Waiting, int Closing, int TimeWait);
