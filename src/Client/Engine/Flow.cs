namespace IpcBench.Client.Engine;

/// <summary>The direction of the messages that count as calls.</summary>
internal enum Flow : byte
{
    /// <summary>Each message is answered, and the call ends with the answer.</summary>
    Both,

    /// <summary>
    /// Messages go to the server. A call ends when its message is written. At the end of a stream, this tool's server
    /// reports when the messages arrived.
    /// </summary>
    Out,

    /// <summary>Messages come from the server. A call ends when its message has arrived.</summary>
    In,
}
