using IpcBench.LoopSockets;

namespace IpcBench.Server.Hosting;

/// <summary>
/// Counts the accepted connections of all listeners. A connection counts until its descriptor is closed. Connections
/// beyond the limit are closed at once.
/// </summary>
/// <param name="limit">
/// Returns how many connections the limits of this process allow now. These limits can change while the server runs.
/// </param>
/// <param name="warnings">Receives the warnings. A repeated warning is written only once.</param>
internal sealed class AcceptGate(Func<long> limit, TextWriter warnings) : ILogger<LoopTransportFactory>
{
    private readonly HashSet<string> told = [];
    private long open;

    /// <summary>Takes a place for a connection that was accepted. <see cref="Leave"/> gives the place back.</summary>
    /// <returns>False when the connection is to be closed at once.</returns>
    public bool TryEnter()
    {
        var most = limit();
        if (Interlocked.Increment(ref open) <= most)
            return true;
        Leave();
        Tell($"more than {most} connections: the server closes further connections at once"
            + (most < KestrelLimits.MostConnections ? "; allow more with ulimit -n" : ""));
        return false;
    }

    /// <summary>Called when the connection is closed.</summary>
    public void Leave() => Interlocked.Decrement(ref open);

    /// <summary>Warns that accepting a connection has failed. The listener tries again after a pause.</summary>
    public void TellStuck(string reason) =>
        Tell($"No connection can be accepted ({reason}); the listener tries again every 50 ms.");

    private void Tell(string sentence)
    {
        lock (told)
        {
            if (told.Add(sentence))
                warnings.WriteLine(sentence);
        }
    }

    /// <summary>The transport on event loops reports failed accepts and caught exceptions here.</summary>
    void ILogger.Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
        Tell(exception is null ? formatter(state, exception) : $"{formatter(state, exception)} {exception}");

    bool ILogger.IsEnabled(LogLevel logLevel) => true;

    IDisposable? ILogger.BeginScope<TState>(TState state) => null;
}
