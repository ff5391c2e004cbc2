using System.Collections.Concurrent;

namespace IpcBench.Client.Engine;

/// <summary>The source of a cell's connections. Through it, the engine needs to know neither protocol nor transport.</summary>
/// <param name="Make">Makes an unopened connection for the scheduler. May be called from any thread.</param>
/// <param name="UsesLoops">True when connections run on <see cref="LoopScheduler"/>s. When false, .NET chooses the threads.</param>
/// <param name="Retries">How often a connect was tried again because the server's accept queue was full.</param>
/// <param name="Connects">The connects that belong to calls. Null where connections are opened before the calls and kept.</param>
/// <param name="Notes">The servers' messages about failed calls. Null where the protocol has none.</param>
internal sealed record ConnectionSource(
    Func<Scheduler, IConnection> Make, bool UsesLoops, Func<long> Retries, ConnectLog? Connects = null, FailureNotes? Notes = null);

/// <summary>A connection and its streams, as the engine sees them.</summary>
internal interface IConnection : IAsyncDisposable
{
    IReadOnlyList<IStream> Streams { get; }

    bool IsOpen { get; }

    /// <summary>True when the connection is open, or accepts no new calls but calls in flight may still end.</summary>
    bool IsUp => IsOpen;

    /// <summary>How often the connection died and was opened again.</summary>
    int Reopened { get; }

    /// <summary>
    /// The number of calls in flight that the server allows, at most the number of <see cref="Streams"/>. Null when unknown.
    /// </summary>
    long? StreamsAllowed { get; }

    /// <summary>Bytes received so far. Null when they are not counted. May be read from any thread.</summary>
    long? BytesReceived => null;

    /// <summary>How long the streams were blocked from writing so far. Null when unknown. May be read from any thread.</summary>
    BlockedTime? Blocked => null;

    /// <summary>Opens the connection for the first time. A connection that dies later opens itself again.</summary>
    /// <exception cref="IOException">The connection could not be opened. The message says why.</exception>
    Task OpenAsync(CancellationToken cancellation);

    /// <summary>
    /// Closes the connection after its only call, or lets the server close first where the protocol says so. Called
    /// on the scheduler's thread.
    /// </summary>
    ValueTask FinishAsync() => DisposeAsync();

    /// <summary>Cuts off the calls that were sent before <paramref name="sentBeforeNs"/>.</summary>
    void CutOff(long sentBeforeNs);

    /// <summary>
    /// Called when a window begins during the load. The next call then does the work that is done once per window. From any thread.
    /// </summary>
    void OnWindow()
    {
    }

    /// <summary>
    /// Called when the load begins or ends. After the end, <see cref="IStream.ReadyAsync"/> gives false, also to
    /// streams that already wait in it.
    /// </summary>
    void SetAccepting(bool accepting);

    /// <summary>
    /// Begins a batch: calls sent until <see cref="Leave"/> go out together. Each Enter needs one Leave. Pairs may be nested.
    /// </summary>
    void Enter();

    void Leave();
}

/// <summary>A stream of a connection, with one call in flight at a time. The engine does not know what a call is on the wire.</summary>
internal interface IStream
{
    /// <summary>Tells the stream which object makes its calls from now on.</summary>
    void OnWorker(object asks)
    {
    }

    /// <summary>Waits until a call can be sent at once: the connection is up and allows one more stream.</summary>
    /// <returns>False when the load is over and no call may be sent.</returns>
    ValueTask<bool> ReadyAsync();

    /// <summary>
    /// Makes one call. Call it only after <see cref="ReadyAsync"/> gave true, and for one call at a time. Does not throw.
    /// </summary>
    /// <param name="sentNs">The present time, from which the time-out counts.</param>
    ValueTask<CallResult> CallAsync(long sentNs);

    /// <summary>
    /// Ends a stream of messages or another thing that outlives a call, since no more calls follow. Call it after the
    /// last call has ended. Does not throw.
    /// </summary>
    /// <param name="nowNs">The present time, from which the time-out counts.</param>
    /// <returns>Not OK when the stream ended with an error, or had broken since the last call.</returns>
    ValueTask<CallResult> EndAsync(long nowNs) => new(CallResult.Ok(0));
}

/// <summary>A stream of messages in one direction.</summary>
internal interface IOneWayStream : IStream
{
    /// <summary>Sets the due time that is written into the next message, in ns of the clock. With 0, no latency is measured.</summary>
    void SetDue(long dueNs)
    {
    }

    /// <summary>Takes the receiver's report about a stream that has ended since the last call. Null when no stream has ended.</summary>
    Receipt? TakeReceipt() => null;

    /// <summary>Sets how the sender sends, from the next opened stream on.</summary>
    /// <param name="perSecond">Messages per second. 0 means as fast as possible.</param>
    /// <param name="delayNs">When the first message is due, in ns after the opening.</param>
    void Pace(double perSecond, long delayNs)
    {
    }

    /// <summary>
    /// Returns the due time of the message that has just arrived, in ns of our clock. Null when the sender has another clock.
    /// </summary>
    long? DueNs(long nowNs) => null;
}

/// <summary>The receiver's report about the messages of a stream. Times are those of our own clock.</summary>
/// <param name="Slots">Whole messages that arrived in each slot.</param>
/// <param name="Latency">
/// Latencies in ns of messages that carry their due time, and how many messages had each. Empty when the receiver has another clock.
/// </param>
internal sealed record Receipt(long BeginNs, long SlotNs, IReadOnlyList<long> Slots, IReadOnlyList<(long Ns, long Count)> Latency);

/// <summary>The time in which streams had bytes to write but could not write, in ns, summed over the streams.</summary>
/// <param name="StreamWindowNs">Time in which the flow-control window of the stream was closed.</param>
/// <param name="ConnectionWindowNs">Time in which the flow-control window of the connection was closed.</param>
/// <param name="SocketNs">Time in which the socket was full.</param>
/// <param name="AheadBytes">
/// The most flow-controlled bytes on a connection that were written and not yet credited by the reader. Counted anew in each window.
/// </param>
internal readonly record struct BlockedTime(
    long StreamWindowNs, long ConnectionWindowNs, long SocketNs, long Times = 0, long AheadBytes = 0)
{
    public long AllNs => StreamWindowNs + ConnectionWindowNs + SocketNs;

    public static BlockedTime operator +(BlockedTime a, BlockedTime b) => new(
        a.StreamWindowNs + b.StreamWindowNs, a.ConnectionWindowNs + b.ConnectionWindowNs, a.SocketNs + b.SocketNs, a.Times + b.Times,
        Math.Max(a.AheadBytes, b.AheadBytes));

    public static BlockedTime operator -(BlockedTime a, BlockedTime b) => new(
        a.StreamWindowNs - b.StreamWindowNs, a.ConnectionWindowNs - b.ConnectionWindowNs, a.SocketNs - b.SocketNs, a.Times - b.Times,
        a.AheadBytes);
}

/// <summary>Keeps the servers' messages about failed calls: the first of each kind in a window. May be used from any thread.</summary>
/// <param name="secrets">Secrets that are hidden in the messages, since a server may repeat received values.</param>
internal sealed class FailureNotes(IReadOnlyList<string>? secrets = null)
{
    private readonly ConcurrentDictionary<string, string> first = new(StringComparer.Ordinal);

    /// <summary>Forgets the messages of the last window.</summary>
    public void Begin() => first.Clear();

    /// <summary>True when there is a message of this kind.</summary>
    public bool Has(string kind) => first.ContainsKey(kind);

    /// <param name="message">The server's text. Only the first of a kind is kept.</param>
    public void Add(string kind, string message)
    {
        if (!Has(kind))
            first.TryAdd(kind, ServerWords.OneLine(message, secrets ?? []));
    }

    /// <summary>Returns the first message of each kind.</summary>
    public IReadOnlyDictionary<string, string> First() => new SortedDictionary<string, string>(first, StringComparer.Ordinal);
}
