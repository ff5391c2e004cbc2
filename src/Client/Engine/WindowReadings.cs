using IpcBench.Analysis.Results;

namespace IpcBench.Client.Engine;

/// <summary>
/// Reads the connections' counters at the begin and the end of a window, and calls the caller's <see cref="IWindowEdges"/>
/// at the same times.
/// </summary>
internal sealed class WindowReadings(
    IReadOnlyList<IConnection> connections, ConnectionSource source, IReadOnlyList<long> connectTimes, IWindowEdges? edges) : IWindowEdges
{
    private readonly long bytesAtStart = Bytes(connections);
    private long bytesAtBegin, bytesAtEnd;
    private BlockedTime? blockedAtBegin, blockedAtEnd;
    // Open connections, counted before the load. During the load, a connection that the server has closed would be missing
    // until it is opened again.
    private readonly int opened = connections.Count(connection => connection.IsOpen);
    private (int Reopened, long? Streams) atBegin;
    private (long Count, IReadOnlyList<long> Percentiles) connects = (0, []);

    public bool HasBegun { get; private set; }

    /// <summary>Successful calls on these connections before this load.</summary>
    public required long OkBefore { get; init; }

    /// <summary>Bytes received in the window. Null when received bytes are not counted.</summary>
    public long? Received => IsCounted ? bytesAtEnd - bytesAtBegin : null;

    /// <summary>The servers' first message about each kind of failure. Kinds without a message are not included.</summary>
    public IReadOnlyDictionary<string, string> FailureMessages => source.Notes?.First() ?? new Dictionary<string, string>();

    /// <summary>How long streams could not write in the window although they had bytes to write. Null when unknown.</summary>
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
        // This call comes last, so that the window does not contain the CPU time of the readings above.
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
    /// Estimates how many of the bytes that arrived in the window are payload, and not headers or frames. The share of the
    /// payload is assumed to be the same in the window as in the whole load. Null when no bytes were counted.
    /// </summary>
    /// <param name="payload">Payload bytes of all successful calls of the load.</param>
    public double? Payload(long payload) => IsCounted && Bytes(connections) - bytesAtStart is > 0 and var all
        ? (bytesAtEnd - bytesAtBegin) * (payload / (double)all)
        : null;

    public ConnectionStats Stats(IReadOnlyList<long> calls)
    {
        var reopened = connections.Sum(connection => connection.Reopened) - atBegin.Reopened;
        var stats = ConnectionCounts.Compute(calls, opened, reopened, source.Retries(), connectTimes) with
        {
            StreamsAllowed = atBegin.Streams,
        };
        return source.Connects is null ? stats : stats with { OpenedInAll = connects.Count, ConnectTimesNs = connects.Percentiles };
    }

    private BlockedTime? BlockedSoFar() => connections.Aggregate((BlockedTime?)default(BlockedTime), (sum, one) => sum + one.Blocked);

    private static long Bytes(IReadOnlyList<IConnection> connections) => connections.Sum(connection => connection.BytesReceived ?? 0);
}
