namespace IpcBench.Client.Doctor;

internal enum AddressState
{
    /// <summary>No server answers, and the address is free.</summary>
    Free,

    /// <summary>A server accepts connections.</summary>
    Answers,

    /// <summary>A socket file at which no server listens.</summary>
    Stale,

    /// <summary>A file or folder that is no socket, or that this user may not open.</summary>
    Occupied,

    /// <summary>A socket or pipe that this user may not open, so it is unknown whether a server answers.</summary>
    Denied,

    /// <summary>This system does not have the transport.</summary>
    NotHere,
}
