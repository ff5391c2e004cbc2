namespace IpcBench.Host;

/// <summary>
/// Counts the connections of endpoints by state, whichever process opened or accepted them. Not safe for use by several threads.
/// </summary>
public abstract partial class ConnectionStates : IDisposable
{
    /// <summary>
    /// Opens a counter that reads the states from Linux's sock_diag(7). Null when the system does not report the states.
    /// </summary>
    /// <param name="endpoints">The endpoints. A TCP endpoint stands for its port on every address. Pipes are not counted.</param>
    public static ConnectionStates? Open(IReadOnlyList<LocalEndpoint> endpoints) => OperatingSystem.IsLinux() ? OpenLinux(endpoints) : null;

    /// <summary>
    /// Counts the connections of each endpoint. The counts have the order of the endpoints in <see cref="Open"/>.
    /// </summary>
    /// <param name="tallies">The counts of the previous call, which are overwritten.</param>
    /// <param name="timeWait">
    /// Whether to count connections in TIME_WAIT too. There may be thousands of them. False keeps their previous count.
    /// </param>
    public abstract void Read(Span<ConnectionTally> tallies, bool timeWait = true);

    public abstract void Dispose();
}
