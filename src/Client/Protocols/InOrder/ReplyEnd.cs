namespace IpcBench.Client.Protocols.InOrder;

/// <summary>How far the oldest open reply of a connection has come.</summary>
internal enum ReplyEnd
{
    /// <summary>All bytes were taken and there is more to come.</summary>
    NotYet,

    /// <summary>It is over, and the connection goes on.</summary>
    Next,

    /// <summary>It is over, and so is the connection.</summary>
    Last,
}
