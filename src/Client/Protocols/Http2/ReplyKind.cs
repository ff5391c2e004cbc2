namespace IpcBench.Client.Protocols.Http2;

/// <summary>The type of a reply's message.</summary>
internal enum ReplyKind : byte
{
    Download,

    /// <summary>The message <c>Received</c>, in which the server reports how many bytes of payload have reached it.</summary>
    Received,

    /// <summary>A message of any type. Only its prefix (flag and length) is read, and the whole message counts as payload.</summary>
    Any,
}
