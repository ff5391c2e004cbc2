using System.Collections.Concurrent;

namespace IpcBench.Client.Engine;

/// <summary>Where the connections of a cell come from. It is handed to the engine, which knows no protocol and no transport.</summary>
/// <param name="Make">A connection for that scheduler, not open yet. From any thread.</param>
/// <param name="UsesLoops">Connections live on <see cref="LoopScheduler"/>s; otherwise the framework chooses the threads.</param>
/// <param name="Retries">Connects so far that were tried again because the server's accept queue was full.</param>
/// <param name="Connects">Connects that belong to calls; null where connections are opened before the calls and kept.</param>
/// <param name="Notes">What servers say of calls that fail; null where they say nothing.</param>
internal sealed record ConnectionSource(
    Func<Scheduler, IConnection> Make, bool UsesLoops, Func<long> Retries, ConnectLog? Connects = null, FailureNotes? Notes = null);

/// <summary>A connection and its streams, as the engine sees them.</summary>
internal interface IConnection : IAsyncDisposable
{
    IReadOnlyList<IStream> Streams { get; }

    bool IsOpen { get; }

    /// <summary>It is open, or no call can begin on it any more and those that are out may still end.</summary>
    bool IsUp => IsOpen;

    /// <summary>How often it died and was opened again.</summary>
    int Reopened { get; }

    /// <summary>
    /// Calls that the server allows out at a time, at most the number of <see cref="Streams"/>; null when that is not known.
    /// </summary>
    long? StreamsAllowed { get; }

    /// <summary>Bytes that have come since it was made; null when nobody counts them. From any thread.</summary>
    long? BytesReceived => null;

    /// <summary>How long its streams were kept from writing since it was made; null when nobody knows. From any thread.</summary>
    BlockedTime? Blocked => null;

    /// <summary>Opens it for the first time; a connection that dies later opens itself again.</summary>
    /// <exception cref="IOException">It could not be opened; the message says why not.</exception>
    Task OpenAsync(CancellationToken cancellation);

    /// <summary>
    /// Closes it after its only call, or lets the server close first where the protocol has it so. Where the scheduler's completions run.
    /// </summary>
    ValueTask FinishAsync() => DisposeAsync();

    /// <summary>Cuts off the calls sent before <paramref name="sentBeforeNs"/>.</summary>
    void CutOff(long sentBeforeNs);

    /// <summary>
    /// The window begins, load goes on: what a connection does once in each window is due for the next call that it sends. From any thread.
    /// </summary>
    void OnWindow()
    {
    }

    /// <summary>Load begins, or ends: after its end <see cref="IStream.ReadyAsync"/> says false, to those who wait too.</summary>
    void SetAccepting(bool accepting);

    /// <summary>Calls sent until <see cref="Leave"/> go out together. Once for each leave; the two may be nested.</summary>
    void Enter();

    void Leave();
}

/// <summary>One stream of a connection: one outstanding call. The engine does not know what a call is on the wire.</summary>
internal interface IStream
{
    /// <summary>Is told who makes its calls from now on.</summary>
    void OnWorker(object asks)
    {
    }

    /// <summary>Waits until a call can be sent at once: the connection is up and allows one more stream.</summary>
    /// <returns>False: the load is over, and no call may be sent.</returns>
    ValueTask<bool> ReadyAsync();

    /// <summary>Makes one call; only after <see cref="ReadyAsync"/> said true, and never two at a time. Does not throw.</summary>
    /// <param name="sentNs">Now, from which the timeout counts.</param>
    ValueTask<CallResult> CallAsync(long sentNs);

    /// <summary>
    /// No more calls are sent: ends what outlives a call, such as a stream of messages. After the last call, and only when none is out.
    /// Does not throw.
    /// </summary>
    /// <param name="nowNs">Now, from which the timeout counts.</param>
    /// <returns>Not OK: it did not end as it should, or had broken since the last call.</returns>
    ValueTask<CallResult> EndAsync(long nowNs) => new(CallResult.Ok(0));
}

/// <summary>A stream of messages that go one way.</summary>
internal interface IOneWayStream : IStream
{
    /// <summary>When the next message is due, to be written into it, in ns of the clock; 0: how long it takes is of no interest.</summary>
    void SetDue(long dueNs)
    {
    }

    /// <summary>What the receiver has said of a stream that ended since this was asked last; null: none did.</summary>
    Receipt? TakeReceipt() => null;

    /// <summary>How the sender is to send from the next stream on that is opened.</summary>
    /// <param name="perSecond">Messages; 0: as fast as it can.</param>
    /// <param name="delayNs">When the first is due, counted from the opening.</param>
    void Pace(double perSecond, long delayNs)
    {
    }

    /// <summary>When the message was due that has just come, in ns of our clock; null: the sender has another clock.</summary>
    long? DueNs(long nowNs) => null;
}

/// <summary>What a receiver says of the messages of one stream. Times are those of our own clock.</summary>
/// <param name="BeginNs">Where the first slot begins.</param>
/// <param name="SlotNs">How long each is.</param>
/// <param name="Slots">Whole messages that came in each.</param>
/// <param name="Latency">How long messages with a stamp took, in ns, and how many of them; empty where its clock is not ours.</param>
internal sealed record Receipt(long BeginNs, long SlotNs, IReadOnlyList<long> Slots, IReadOnlyList<(long Ns, long Count)> Latency);

/// <summary>How long streams had something to write and could not, in ns, summed over the streams.</summary>
/// <param name="StreamWindowNs">The stream's window was closed.</param>
/// <param name="ConnectionWindowNs">The connection's was.</param>
/// <param name="SocketNs">The system took no more.</param>
/// <param name="Times">How often.</param>
/// <param name="AheadBytes">
/// The most flow-controlled bytes that a connection had written then and its reader had not given back; counted anew in each window.
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

/// <summary>What servers say of calls that fail: the first message of each kind in a window. From any thread.</summary>
/// <param name="secrets">Texts that no file may hold; a server may repeat what it was sent.</param>
internal sealed class FailureNotes(IReadOnlyList<string>? secrets = null)
{
    private readonly ConcurrentDictionary<string, string> first = new(StringComparer.Ordinal);

    /// <summary>Forgets the last window.</summary>
    public void Begin() => first.Clear();

    /// <summary>There is a message of that kind already.</summary>
    public bool Has(string kind) => first.ContainsKey(kind);

    /// <param name="kind">As the failures are counted.</param>
    /// <param name="message">In the server's words; only the first of a kind is kept.</param>
    public void Add(string kind, string message)
    {
        if (!Has(kind))
            first.TryAdd(kind, ServerWords.OneLine(message, secrets ?? []));
    }

    /// <summary>What was said until now.</summary>
    public IReadOnlyDictionary<string, string> First() => new SortedDictionary<string, string>(first, StringComparer.Ordinal);
}
