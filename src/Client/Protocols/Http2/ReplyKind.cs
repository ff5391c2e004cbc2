namespace IpcBench.Client.Protocols.Http2;

/// <summary>The type of a reply's message.</summary>
internal enum ReplyKind : byte
{
    Download,

    /// <summary>The message <c>Received</c>, in which the server reports how many bytes of payload have reached it.</summary>
    Received,

    /// <summary>Another message of any size. Only prefix and length are read, and the whole message is payload.</summary>
    Any,
}
