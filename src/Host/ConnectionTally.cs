namespace IpcBench.Host;

/// <summary>The connections of one endpoint at one moment.</summary>
/// <param name="Active">Established connections with queued bytes or a request in flight.</param>
/// <param name="Idle">Established connections without queued bytes and without a request in flight.</param>
/// <param name="Waiting">Connections that are still connecting, or are not accepted yet.</param>
/// <param name="Closing">Connections that at least one side has closed, before TIME_WAIT.</param>
/// <param name="TimeWait">Connections that both sides have closed, while the system still holds the local port (TIME_WAIT).</param>
public readonly record struct ConnectionTally(int Active, int Idle, int Waiting, int Closing, int TimeWait);
