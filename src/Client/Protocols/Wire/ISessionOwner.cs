using IpcBench.Http2;

namespace IpcBench.Client.Protocols.Wire;

/// <summary>What a <see cref="WireSession"/> tells its connection.</summary>
internal interface ISessionOwner
{
    /// <summary>The server's SETTINGS have come.</summary>
    void OnSessionOpen(WireSession session);

    /// <summary>A stream has ended or more are allowed: others may begin.</summary>
    void OnStreamEnded();

    /// <summary>The server will not begin the streams after <paramref name="lastId"/>.</summary>
    void OnGoAway(WireSession session, int lastId);

    /// <summary>The session is over; what is in the output is still to be sent if possible.</summary>
    void OnSessionClosed(WireSession session, Http2Error error, string reason);

    /// <summary>Visits the streams whose calls are out on this session.</summary>
    void ForEachStream(WireSession session, long argument, Action<WireSession, WireStream, long> visit);
}
