namespace IpcBench.Client.Doctor;

/// <summary>What was found at an address.</summary>
internal enum AddressState
{
    /// <summary>Nobody answers and nothing is in the way.</summary>
    Free,

    /// <summary>Something accepts connections.</summary>
    Answers,

    /// <summary>A socket file without a server behind it.</summary>
    Stale,

    /// <summary>A file or folder that is no socket, or one that this user may not open.</summary>
    Occupied,

    /// <summary>This system does not have the transport.</summary>
    NotHere,
}
