namespace IpcBench.Analysis.Results;

/// <summary>What happened to the connections of a round.</summary>
public sealed record ConnectionStats
{
    public required int Requested { get; init; }

    /// <summary>Connections that were open before the load began.</summary>
    public required int Opened { get; init; }

    /// <summary>Connections that carried at least one call in the window.</summary>
    public required int Active { get; init; }

    /// <summary>Connections that failed during the round and were opened again.</summary>
    public int Reopened { get; init; }

    /// <summary>How often the client tried again to open a connection because the server's accept queue was full.</summary>
    public long ConnectRetries { get; init; }

    public long FewestCalls { get; init; }
    public long MostCalls { get; init; }

    /// <summary>Jain's fairness index of the calls per connection. 1 is perfectly even (Jain, Chiu, Hawe 1984, DEC-TR-301).</summary>
    public double Fairness { get; init; }

    /// <summary>
    /// With a connection per call, the connections opened for the calls of the window. Null when connections stay open.
    /// </summary>
    public long? OpenedInAll { get; init; }

    /// <summary>
    /// Times in ns that it took to open a connection: 50th, 90th and 99th percentile, and the longest time. With a
    /// connection per call, only connections that were opened for calls are included.
    /// </summary>
    public IReadOnlyList<long> ConnectTimesNs { get; init; } = [];

    /// <summary>
    /// The number of calls that a connection could have in flight: the requested streams, or fewer if the server allows
    /// fewer. Null when the client does not know the server's limit.
    /// </summary>
    public long? StreamsAllowed { get; init; }

    /// <summary>
    /// Open connections of this endpoint by the server's own count, without the tool's connections that carry no load.
    /// Null when the server does not report this count.
    /// </summary>
    public long? ServerOpen { get; init; }

    /// <summary>
    /// Calls of this endpoint that the server answered, by its own counters. The counters are read before and after the
    /// load. Null when the server does not report this count.
    /// </summary>
    public long? ServerCalls { get; init; }

    /// <summary>
    /// Calls that succeeded between the two readings of the server's counters, by the client's count. The number includes
    /// the load before and after the window. Null in older files, where this number equals the client's <see
    /// cref="ProcessUsage.Calls"/>.
    /// </summary>
    public long? ClientCalls { get; init; }
}
