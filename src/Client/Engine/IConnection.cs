using System.Collections.Concurrent;

namespace IpcBench.Client.Engine;

/// <summary>The source of a cell's connections. It hides protocol and transport from the engine.</summary>
/// <param name="Make">Makes an unopened connection for the scheduler. May be called from any thread.</param>
/// <param name="UsesLoops">True when connections run on <see cref="LoopScheduler"/>s. When false, .NET chooses the threads.</param>
/// <param name="Retries">Returns how often a connect was tried again because the server's accept queue was full.</param>
/// <param name="Connects">The connect times, if each call opens a connection. Null if connections are opened before the calls.</param>
/// <param name="Notes">The servers' messages about failed calls. Null where the protocol has none.</param>
internal sealed record ConnectionSource(
    Func<Scheduler, IConnection> Make, bool UsesLoops, Func<long> Retries, ConnectLog? Connects = null, FailureNotes? Notes = null);

/// <summary>A connection and its streams, as the engine sees them.</summary>
internal interface IConnection : IAsyncDisposable
{
    IReadOnlyList<IStream> Streams { get; }

    bool IsOpen { get; }

    /// <summary>True when calls in flight may still end, even if the connection accepts no new calls.</summary>
    bool IsUp => IsOpen;

    /// <summary>How often the connection died and was opened again.</summary>
    int Reopened { get; }

    /// <summary>
    /// The number of calls that the server allows in flight, but at most the number of <see cref="Streams"/>. Null when unknown.
    /// </summary>
    long? StreamsAllowed { get; }

    /// <summary>Bytes received so far. Null when they are not counted. May be read from any thread.</summary>
    long? BytesReceived => null;

    /// <summary>How long streams had bytes to write but could not write. Null when unknown. May be read from any thread.</summary>
    BlockedTime? Blocked => null;

    /// <summary>Opens the connection for the first time. A connection that dies later opens itself again.</summary>
    /// <exception cref="IOException">The connection could not be opened. The message says why.</exception>
    Task OpenAsync(CancellationToken cancellation);

    /// <summary>
    /// Closes the connection after its only call. If the protocol lets the server close first, waits for the server. Called on the
    /// scheduler's thread.
    /// </summary>
    ValueTask FinishAsync() => DisposeAsync();

    /// <summary>Cuts off the calls that were sent before <paramref name="sentBeforeNs"/>.</summary>
    void CutOff(long sentBeforeNs);

    /// <summary>
    /// Called when a window begins while load is running. The next call then does the work that is done once per window. May be called
    /// from any thread.
    /// </summary>
    void OnWindow()
    {
    }

    /// <summary>
    /// Called when the load begins or ends. After the end, <see cref="IStream.ReadyAsync"/> gives false. Streams that already wait
    /// in it get false too.
    /// </summary>
    void SetAccepting(bool accepting);

    /// <summary>
    /// Begins a batch. All calls that are sent before <see cref="Leave"/> go out together. Each Enter needs one Leave. Pairs may be nested.
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
    /// Makes one call. Does not throw. Call this only after <see cref="ReadyAsync"/> gave true and the previous call has ended.
    /// </summary>
    /// <param name="sentNs">The present time, from which the time-out counts.</param>
    ValueTask<CallResult> CallAsync(long sentNs);

    /// <summary>
    /// Ends what outlives a single call, such as a stream of messages, when no more calls follow. Call this after the last call has
    /// ended. Does not throw.
    /// </summary>
    /// <param name="nowNs">The present time, from which the time-out counts.</param>
    /// <returns>Not OK when the stream ended with an error, or broke after the last call.</returns>
    ValueTask<CallResult> EndAsync(long nowNs) => new(CallResult.Ok(0));
}

/// <summary>A stream whose messages all go in one direction.</summary>
internal interface IOneWayStream : IStream
{
    /// <summary>Sets the due time that is written into the next message, in ns of the clock. 0 means that no latency is measured.</summary>
    void SetDue(long dueNs)
    {
    }

    /// <summary>Takes the receiver's report about a stream that has ended. Null when no stream has ended since the last report.</summary>
    Receipt? TakeReceipt() => null;

    /// <summary>Sets the pace of the sender, for each stream that is opened after this call.</summary>
    /// <param name="perSecond">Messages per second. 0 means as fast as possible.</param>
    /// <param name="delayNs">The time from the opening of a stream until its first message is due, in ns.</param>
    void Pace(double perSecond, long delayNs)
    {
    }

    /// <summary>
    /// Returns the due time of the message that has just arrived, in ns of this process's clock. Null when the sender has another clock.
    /// </summary>
    long? DueNs(long nowNs) => null;
}

/// <summary>The receiver's report about the messages of a stream. All times are in ns of the clock of this process.</summary>
/// <param name="Slots">The number of whole messages that arrived in each slot.</param>
/// <param name="Latency">
/// Each latency with the number of messages that had it, for messages that carry their due time. Empty when the receiver has another clock.
/// </param>
internal sealed record Receipt(long BeginNs, long SlotNs, IReadOnlyList<long> Slots, IReadOnlyList<(long Ns, long Count)> Latency);

/// <summary>The time in which streams had bytes to write but could not write, in ns, summed over the streams.</summary>
/// <param name="StreamWindowNs">Time in which the flow-control window of the stream was closed.</param>
/// <param name="ConnectionWindowNs">Time in which the flow-control window of the connection was closed.</param>
/// <param name="SocketNs">Time in which the socket was full.</param>
/// <param name="Times">How often a stream became unable to write.</param>
/// <param name="AheadBytes">
/// The most bytes in flight under flow control on a connection when a stream was blocked. Each measured window counts anew.
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

/// <summary>Keeps a server's first message about each kind of failure in a window. May be used from any thread.</summary>
/// <param name="secrets">Secrets that are hidden in the messages, since a server may repeat received values.</param>
internal sealed class FailureNotes(IReadOnlyList<string>? secrets = null)
{
    private readonly ConcurrentDictionary<string, string> first = new(StringComparer.Ordinal);

    /// <summary>Forgets the messages of the last window.</summary>
    public void Begin() => first.Clear();

    /// <summary>True when a message about this kind of failure is kept.</summary>
    public bool Has(string kind) => first.ContainsKey(kind);

    /// <param name="kind">The kind of failure.</param>
    /// <param name="message">The server's text. Only the first text of a kind is kept.</param>
    public void Add(string kind, string message)
    {
        if (!Has(kind))
            first.TryAdd(kind, ServerWords.OneLine(message, secrets ?? []));
    }

    /// <summary>Returns the first message of each kind of failure.</summary>
    public IReadOnlyDictionary<string, string> First() => new SortedDictionary<string, string>(first, StringComparer.Ordinal);
}
