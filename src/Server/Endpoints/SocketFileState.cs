namespace IpcBench.Server.Endpoints;

/// <summary>What is found where a socket file is to be made.</summary>
internal enum SocketFileState
{
    /// <summary>Nothing.</summary>
    Absent,

    /// <summary>A socket on which nobody listens: left by a server that was killed.</summary>
    Stale,

    /// <summary>A socket on which somebody listens.</summary>
    Live,

    /// <summary>Not a socket, or one that may not be touched.</summary>
    Other,
}
