namespace IpcBench.Client.Protocols.InOrder;

/// <summary>The progress of the oldest reply for which a connection waits.</summary>
internal enum ReplyEnd
{
    /// <summary>All bytes were taken, and the reply is incomplete.</summary>
    NotYet,

    /// <summary>The reply is complete, and the connection continues.</summary>
    Next,

    /// <summary>The reply is complete, and the connection ends.</summary>
    Last,
}
