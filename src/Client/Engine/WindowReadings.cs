using IpcBench.Analysis.Results;

namespace IpcBench.Client.Engine;

/// <summary>What is read of the connections at the edges of a window, and whoever else wants to read there.</summary>
internal sealed class WindowReadings(
    IReadOnlyList<IConnection> connections, ConnectionSource source, IReadOnlyList<long> connectTimes, IWindowEdges? edges) : IWindowEdges
{
    private readonly long bytesAtStart = Bytes(connections);
    private long bytesAtBegin, bytesAtEnd;
    private BlockedTime? blockedAtBegin, blockedAtEnd;
    // Counted before the load: under load a connection that the server closed, and that opens again, is not open for a moment.
    private readonly int opened = connections.Count(connection => connection.IsOpen);
    private (int Reopened, long? Streams) atBegin;
    private (long Count, IReadOnlyList<long> Percentiles) connects = (0, []);

    public bool HasBegun { get; private set; }

    /// <summary>Calls that had ended well on these connections before this load.</summary>
    public required long OkBefore { get; init; }

    /// <summary>Bytes that came inside the window; null when nobody counts them.</summary>
    public long? Received => IsCounted ? bytesAtEnd - bytesAtBegin : null;

    /// <summary>The first message of each kind of failure that has one.</summary>
    public IReadOnlyDictionary<string, string> FailureMessages => source.Notes?.First() ?? new Dictionary<string, string>();

    /// <summary>How long streams were kept from writing inside the window; null when nobody knows.</summary>
    public BlockedTime? Blocked => blockedAtEnd - blockedAtBegin;

    private bool IsCounted => connections.All(connection => connection.BytesReceived is not null);

    public void OnBegin()
    {
        HasBegun = true;
        atBegin = (connections.Sum(connection => connection.Reopened), connections.Min(connection => connection.StreamsAllowed));
        source.Connects?.Begin();
        source.Notes?.Begin();
        edges?.BeforeBegin();
        bytesAtBegin = Bytes(connections);
        blockedAtBegin = BlockedSoFar();
        // Last, so that the CPU time of all these readings is none of the window's.
        edges?.OnBegin();
    }

    public void OnEnd()
    {
        edges?.OnEnd();
        bytesAtEnd = Bytes(connections);
        blockedAtEnd = BlockedSoFar();
        edges?.AfterEnd();
        connects = (source.Connects?.Count ?? 0, source.Connects?.Percentiles() ?? []);
    }

    /// <summary>
    /// Of the bytes that came inside the window those that were payload, headers and frames left out: the same share as of all bytes that
    /// came from the start of the load to its end. Null when nobody counts them.
    /// </summary>
    /// <param name="payload">Bytes of payload of all calls of the load that ended well.</param>
    public double? Payload(long payload) => IsCounted && Bytes(connections) - bytesAtStart is > 0 and var all
        ? (bytesAtEnd - bytesAtBegin) * (payload / (double)all)
        : null;

    /// <param name="calls">Of each connection, in the window.</param>
    public ConnectionStats Stats(IReadOnlyList<long> calls)
    {
        var reopened = connections.Sum(connection => connection.Reopened) - atBegin.Reopened;
        var stats = ConnectionCounts.Of(calls, opened, reopened, source.Retries(), connectTimes) with
        {
            StreamsAllowed = atBegin.Streams,
        };
        return source.Connects is null ? stats : stats with { OpenedInAll = connects.Count, ConnectTimesNs = connects.Percentiles };
    }

    private BlockedTime? BlockedSoFar() => connections.Aggregate((BlockedTime?)default(BlockedTime), (sum, one) => sum + one.Blocked);

    private static long Bytes(IReadOnlyList<IConnection> connections) => connections.Sum(connection => connection.BytesReceived ?? 0);
}
