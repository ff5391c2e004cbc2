namespace IpcBench.Client.Engine;

/// <summary>A connection and its streams, as the engine sees them.</summary>
internal interface IConnection : IAsyncDisposable
{
    /// <summary>One for each stream.</summary>
    IReadOnlyList<IStream> Streams { get; }

    bool IsOpen { get; }

    /// <summary>How often it died and was opened again.</summary>
    int Reopened { get; }

    /// <summary>Calls that the server allows out at a time, at most the number of <see cref="Streams"/>; null when that is not known.</summary>
    long? StreamsAllowed { get; }

    /// <summary>Bytes that have come on all its duplexes; null when nobody counts them. From any thread.</summary>
    long? BytesReceived => null;

    /// <summary>Opens it for the first time; a connection that dies later opens itself again.</summary>
    /// <exception cref="IOException">It could not be opened; the message says why not.</exception>
    Task OpenAsync(CancellationToken cancellation);

    /// <summary>Closes it after its only call, or lets the server close first where the protocol has it so. Where the scheduler's completions run.</summary>
    ValueTask FinishAsync() => DisposeAsync();

    /// <summary>Cuts off the calls sent before <paramref name="sentBeforeNs"/>.</summary>
    void CutOff(long sentBeforeNs);

    /// <summary>A window begins, or ends: after its end <see cref="IStream.ReadyAsync"/> says false, to those who wait too.</summary>
    void SetAccepting(bool accepting);

    /// <summary>Calls sent until <see cref="Leave"/> go out together. Once for each leave; the two may be nested.</summary>
    void Enter();

    void Leave();
}
