namespace IpcBench.Client.Engine;

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
    long? StreamsAllowed => null;

    /// <summary>Bytes received so far. Null when they are not counted. May be read from any thread.</summary>
    long? BytesReceived => null;

    /// <summary>How long streams had bytes to write but could not write. Null when unknown. May be read from any thread.</summary>
    BlockedTime? Blocked => null;

    /// <summary>Opens the connection for the first time. A connection for many calls opens itself again if it dies later.</summary>
    /// <exception cref="IOException">The connection could not be opened. The message says why.</exception>
    Task OpenAsync(CancellationToken cancellation);

    /// <summary>
    /// Closes the connection after its only call. If the protocol lets the server close first, gives the server a short
    /// time to close the connection. Called on the scheduler's thread.
    /// </summary>
    ValueTask FinishAsync() => DisposeAsync();

    /// <summary>Cuts off the calls that were sent before <paramref name="sentBeforeNs"/>.</summary>
    void CutOff(long sentBeforeNs);

    /// <summary>
    /// Called when a window begins while load is running, but not for slices after the first. The connection then checks the
    /// reply of its next call, if replies are checked (<c>--expect</c>). May be called from any thread.
    /// </summary>
    void OnWindow()
    {
    }

    /// <summary>
    /// Called when the load begins or ends. After the end, <see cref="IStream.ReadyAsync"/> returns false. Calls of
    /// ReadyAsync that are still waiting return false too.
    /// </summary>
    void SetAccepting(bool accepting);

    /// <summary>
    /// Begins a batch. All calls that are sent before <see cref="Leave"/> go out together. Each Enter needs one Leave. Pairs of
    /// Enter and Leave may be nested.
    /// </summary>
    void Enter()
    {
    }

    void Leave()
    {
    }
}
