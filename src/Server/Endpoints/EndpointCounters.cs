namespace IpcBench.Server.Endpoints;

/// <summary>What one endpoint has served since the start. Any thread may count.</summary>
internal sealed class EndpointCounters
{
    private long _calls;
    private long _opened;
    private long _closed;

    /// <summary>Bench calls and requests for bytes answered with OK.</summary>
    public long Calls => Interlocked.Read(ref _calls);

    public long ConnectionsOpened => Interlocked.Read(ref _opened);

    public long ConnectionsOpen
    {
        get
        {
            // Closed first: a connection that comes and goes in between must not make this negative.
            var closed = Interlocked.Read(ref _closed);
            return Interlocked.Read(ref _opened) - closed;
        }
    }

    public void CallAnswered() => Interlocked.Increment(ref _calls);

    public void ConnectionOpened() => Interlocked.Increment(ref _opened);

    public void ConnectionClosed() => Interlocked.Increment(ref _closed);
}
