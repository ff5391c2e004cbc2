namespace IpcBench.Analysis.Results;

/// <summary>The connections of one listening endpoint by state, sampled from the system while a window was measured.</summary>
public sealed record WatchedEndpoint
{
    /// <summary>The name it was given: <c>--watch NAME=ADDRESS</c>.</summary>
    public required string Name { get; init; }

    public required string Address { get; init; }

    /// <summary>How often it was looked at: every 100 ms, or more rarely where a look takes long.</summary>
    public required int Samples { get; init; }

    /// <summary>
    /// Established, with bytes queued at either end, or (TCP alone) a request out: the server's last bytes came in later than its last went
    /// out.
    /// </summary>
    public required StateCount Active { get; init; }

    /// <summary>Established and silent.</summary>
    public required StateCount Idle { get; init; }

    /// <summary>Still connecting, or connected and not yet accepted by the server.</summary>
    public required StateCount Waiting { get; init; }

    /// <summary>Closed by one end or both, and not gone yet.</summary>
    public required StateCount Closing { get; init; }

    /// <summary>TCP connections that are over and whose ports are kept for a minute (TIME_WAIT).</summary>
    public required StateCount TimeWait { get; init; }
}

/// <summary>Connections found in one state over the samples of a window.</summary>
public sealed record StateCount
{
    public required double Mean { get; init; }
    public required long Max { get; init; }
}
