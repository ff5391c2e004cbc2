namespace IpcBench.Server.Endpoints;

/// <summary>What one endpoint has served since the start. Any thread may count.</summary>
internal sealed class EndpointCounters
{
    private long calls;
    private long opened;
    private long closed;

    /// <summary>Bench calls and requests for bytes answered with OK.</summary>
    public long Calls => Interlocked.Read(ref calls);

    public long ConnectionsOpened => Interlocked.Read(ref opened);

    public long ConnectionsOpen
    {
        get
        {
            // Closed first: a connection that comes and goes in between must not make this negative.
            var closed = Interlocked.Read(ref this.closed);
            return Interlocked.Read(ref opened) - closed;
        }
    }

    public void CallAnswered() => Interlocked.Increment(ref calls);

    public void ConnectionOpened() => Interlocked.Increment(ref opened);

    public void ConnectionClosed() => Interlocked.Increment(ref this.closed);
}
