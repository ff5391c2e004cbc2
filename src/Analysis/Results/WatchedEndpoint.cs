namespace IpcBench.Analysis.Results;

/// <summary>The connections of a listening endpoint by state, sampled from the system during a window.</summary>
public sealed record WatchedEndpoint
{
    /// <summary>The name given in <c>--watch NAME=ADDRESS</c>.</summary>
    public required string Name { get; init; }

    public required string Address { get; init; }

    /// <summary>The number of samples. A sample is taken every 100 ms, or less often when it takes long to take a sample.</summary>
    public required int Samples { get; init; }

    /// <summary>
    /// Established connections with bytes queued at either end or (TCP only) with a request in flight. A request is in
    /// flight if the server received data after it last sent data.
    /// </summary>
    public required StateCount Active { get; init; }

    /// <summary>Established connections without traffic.</summary>
    public required StateCount Idle { get; init; }

    /// <summary>Connections that are still connecting, or that the server has not accepted yet.</summary>
    public required StateCount Waiting { get; init; }

    /// <summary>Connections that one end or both have closed but the system still holds.</summary>
    public required StateCount Closing { get; init; }

    /// <summary>TCP connections that are closed and whose ports stay reserved for a minute (TIME_WAIT).</summary>
    public required StateCount TimeWait { get; init; }
}
