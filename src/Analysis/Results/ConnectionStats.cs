namespace IpcBench.Analysis.Results;

/// <summary>What really happened to the connections of a round.</summary>
public sealed record ConnectionStats
{
    public required int Requested { get; init; }

    /// <summary>Open when the window began.</summary>
    public required int Opened { get; init; }

    /// <summary>Carried at least one call in the window.</summary>
    public required int Active { get; init; }

    /// <summary>Died during the round and opened again.</summary>
    public int Reopened { get; init; }

    /// <summary>Connects tried again because the accept queue was full.</summary>
    public long ConnectRetries { get; init; }

    public long FewestCalls { get; init; }
    public long MostCalls { get; init; }

    /// <summary>Jain's fairness index of the calls per connection, 1 is perfectly even (Jain, Chiu, Hawe 1984, DEC-TR-301).</summary>
    public double Fairness { get; init; }

    /// <summary>A connection for every call: how many were opened for the calls of the window; null where connections are kept.</summary>
    public long? OpenedInAll { get; init; }

    /// <summary>
    /// How long the connects took, in ns: 50th, 90th, 99th percentile and slowest; those of the calls where each has a connection of its
    /// own.
    /// </summary>
    public IReadOnlyList<long> ConnectTimesNs { get; init; } = [];

    /// <summary>
    /// Calls that a connection could have out at a time: what was asked for, or fewer when the server allows no more; null when the client
    /// does not know.
    /// </summary>
    public long? StreamsAllowed { get; init; }

    /// <summary>Connections the server says it held open for this endpoint, less the tool's own; null when it does not tell.</summary>
    public long? ServerOpen { get; init; }

    /// <summary>Calls the server says it answered for this endpoint while they were counted; null when it does not tell.</summary>
    public long? ServerCalls { get; init; }
}
