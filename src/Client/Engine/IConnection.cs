using System.Collections.Concurrent;

namespace IpcBench.Client.Engine;

/// <summary>The source of a cell's connections. The engine gets it from outside and knows neither protocol nor transport.</summary>
/// <param name="Make">Makes an unopened connection for the scheduler. From any thread.</param>
/// <param name="UsesLoops">Connections run on <see cref="LoopScheduler"/>s; false: .NET chooses the threads.</param>
/// <param name="Retries">How often a connect was tried again because the server's accept queue was full.</param>
/// <param name="Connects">Connects that belong to calls; null where connections are opened before the calls and kept.</param>
/// <param name="Notes">The servers' messages about failed calls; null where the protocol has none.</param>
internal sealed record ConnectionSource(
    Func<Scheduler, IConnection> Make, bool UsesLoops, Func<long> Retries, ConnectLog? Connects = null, FailureNotes? Notes = null);

/// <summary>A connection and its streams, in the engine's view.</summary>
internal interface IConnection : IAsyncDisposable
{
    IReadOnlyList<IStream> Streams { get; }

    bool IsOpen { get; }

    /// <summary>True when the connection is open, or accepts no new calls but calls in flight may still end.</summary>
    bool IsUp => IsOpen;

    /// <summary>How often the connection died and was opened again.</summary>
    int Reopened { get; }

    /// <summary>How many calls in flight the server allows, at most the number of <see cref="Streams"/>; null when unknown.</summary>
    long? StreamsAllowed { get; }

    /// <summary>Bytes received so far; null when they are not counted. From any thread.</summary>
    long? BytesReceived => null;

    /// <summary>How long the streams were blocked from writing so far; null when unknown. From any thread.</summary>
    BlockedTime? Blocked => null;

    /// <summary>Opens the connection for the first time; when it dies later, it opens itself again.</summary>
    /// <exception cref="IOException">The connection could not be opened; the message says why.</exception>
    Task OpenAsync(CancellationToken cancellation);

    /// <summary>
    /// Closes the connection after its only call, or lets the server close first where the protocol says so. On the scheduler's thread.
    /// </summary>
    ValueTask FinishAsync() => DisposeAsync();

    /// <summary>Cuts off the calls that were sent before <paramref name="sentBeforeNs"/>.</summary>
    void CutOff(long sentBeforeNs);

    /// <summary>A window begins during the load: what a connection does once per window is due at its next call. From any thread.</summary>
    void OnWindow()
    {
    }

    /// <summary>
    /// The load begins or ends. After the end <see cref="IStream.ReadyAsync"/> gives false, also to streams that wait in it.
    /// </summary>
    void SetAccepting(bool accepting);

    /// <summary>Calls sent until <see cref="Leave"/> go out together. Each enter needs one leave; the two may be nested.</summary>
    void Enter();

    void Leave();
}

/// <summary>A stream of a connection: one call in flight at a time. The engine does not know what a call is on the wire.</summary>
internal interface IStream
{
    /// <summary>Sets the object that makes the stream's calls from now on.</summary>
    void OnWorker(object asks)
    {
    }

    /// <summary>Waits until a call can be sent at once: the connection is up and allows one more stream.</summary>
    /// <returns>False when the load is over and no call may be sent.</returns>
    ValueTask<bool> ReadyAsync();

    /// <summary>Makes one call. Only after <see cref="ReadyAsync"/> gave true, one at a time. Does not throw.</summary>
    /// <param name="sentNs">The present time, from which the time-out counts.</param>
    ValueTask<CallResult> CallAsync(long sentNs);

    /// <summary>
    /// No more calls follow: ends what outlives a call, such as a stream of messages. Call it after the last call has
    /// ended. Does not throw.
    /// </summary>
    /// <param name="nowNs">The present time, from which the time-out counts.</param>
    /// <returns>Not OK when the stream ended with an error, or had broken since the last call.</returns>
    ValueTask<CallResult> EndAsync(long nowNs) => new(CallResult.Ok(0));
}

/// <summary>A stream of messages in one direction.</summary>
internal interface IOneWayStream : IStream
{
    /// <summary>
    /// Sets the due time of the next message, which is written into the message, in ns of the clock; 0: no latency is measured.
    /// </summary>
    void SetDue(long dueNs)
    {
    }

    /// <summary>The receiver's report about a stream that has ended since the last call; null without one.</summary>
    Receipt? TakeReceipt() => null;

    /// <summary>Sets how the sender sends, from the next opened stream on.</summary>
    /// <param name="perSecond">Messages per second; 0: as fast as possible.</param>
    /// <param name="delayNs">When the first message is due, in ns after the opening.</param>
    void Pace(double perSecond, long delayNs)
    {
    }

    /// <summary>The due time of the message that has just arrived, in ns of our clock; null when the sender has another clock.</summary>
    long? DueNs(long nowNs) => null;
}

/// <summary>The receiver's report about the messages of a stream. Times are those of our own clock.</summary>
/// <param name="Slots">Whole messages that arrived in each slot.</param>
/// <param name="Latency">Latencies of stamped messages in ns, with their numbers; empty when the receiver has another clock.</param>
internal sealed record Receipt(long BeginNs, long SlotNs, IReadOnlyList<long> Slots, IReadOnlyList<(long Ns, long Count)> Latency);

/// <summary>How long streams had bytes to write and could not, in ns, summed over the streams.</summary>
/// <param name="StreamWindowNs">The flow-control window of the stream was closed.</param>
/// <param name="ConnectionWindowNs">The window of the connection was closed.</param>
/// <param name="SocketNs">The socket was full.</param>
/// <param name="AheadBytes">
/// The most flow-controlled bytes in flight on a connection, written and not yet credited by the reader; counted anew in each window.
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

/// <summary>The servers' messages about failed calls: the first of each kind in a window. From any thread.</summary>
/// <param name="secrets">Texts that are hidden in the messages, since a server may repeat what it was sent.</param>
internal sealed class FailureNotes(IReadOnlyList<string>? secrets = null)
{
    private readonly ConcurrentDictionary<string, string> first = new(StringComparer.Ordinal);

    /// <summary>Forgets the messages of the last window.</summary>
    public void Begin() => first.Clear();

    /// <summary>True when there is a message of this kind.</summary>
    public bool Has(string kind) => first.ContainsKey(kind);

    /// <param name="message">The server's text; only the first of a kind is kept.</param>
    public void Add(string kind, string message)
    {
        if (!Has(kind))
            first.TryAdd(kind, ServerWords.OneLine(message, secrets ?? []));
    }

    /// <summary>The first message of each kind.</summary>
    public IReadOnlyDictionary<string, string> First() => new SortedDictionary<string, string>(first, StringComparer.Ordinal);
}
