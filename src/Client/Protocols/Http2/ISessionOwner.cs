using IpcBench.Http2;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>What a <see cref="Http2Connection"/> tells its connection.</summary>
internal interface ISessionOwner
{
    /// <summary>The server's SETTINGS have come.</summary>
    void OnSessionOpen(Http2Connection session);

    /// <summary>A stream has ended or more are allowed: others may begin.</summary>
    void OnStreamEnded();

    /// <summary>The server will not begin the streams after <paramref name="lastId"/>.</summary>
    void OnGoAway(Http2Connection session, int lastId);

    /// <summary>The session is over; what is in the output is still to be sent if possible.</summary>
    void OnSessionClosed(Http2Connection session, Http2Error error, string reason);

    /// <summary>Visits the streams whose calls are out on this session.</summary>
    void ForEachStream(Http2Connection session, long argument, Action<Http2Connection, Http2Stream, long> visit);
}
