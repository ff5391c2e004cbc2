namespace IpcBench.Host;

/// <summary>
/// Counts the connections of endpoints by state, whichever process opened or accepted them. Only one thread at a time may use it.
/// </summary>
public abstract partial class ConnectionStates : IDisposable
{
    /// <summary>
    /// Opens a counter, which reads the states from Linux's sock_diag(7). Null when the system does not report the states.
    /// </summary>
    /// <param name="endpoints">The endpoints. A TCP endpoint stands for its port on every address. Pipes are not counted.</param>
    public static ConnectionStates? Open(IReadOnlyList<LocalEndpoint> endpoints) => OperatingSystem.IsLinux() ? OpenLinux(endpoints) : null;

    /// <summary>Counts the connections of each endpoint, in the order of <see cref="Open"/>.</summary>
    /// <param name="tallies">The previous tallies, which are overwritten.</param>
    /// <param name="timeWait">
    /// Whether to count connections in TIME_WAIT too, of which there may be thousands. False keeps the previous count.
    /// </param>
    public abstract void Read(Span<ConnectionTally> tallies, bool timeWait = true);

    public abstract void Dispose();
}

/// <summary>The connections of one endpoint at one moment.</summary>
/// <param name="Active">Established connections with queued bytes or a request in flight.</param>
/// <param name="Idle">Established connections without queued bytes and without a request in flight.</param>
/// <param name="Waiting">Connections that are still connecting, or are not accepted yet.</param>
/// <param name="TimeWait">Connections that both sides have closed, while the system still holds the local port (TIME_WAIT).</param>
public readonly record struct ConnectionTally(int Active, int Idle, int Waiting, int Closing, int TimeWait);
