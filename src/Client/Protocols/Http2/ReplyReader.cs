using IpcBench.Protocol;
using IpcBench.Protocol.V1;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>
/// Reads the single message of a reply while its bytes arrive, and keeps only its sizes. Accepts every valid encoding
/// of a DownloadReply: unknown fields are skipped, and of several payload fields the last one counts. All known
/// servers send the simplest encoding, which is prefix, tag, length and payload.
/// </summary>
/// <param name="kind">The type of the message.</param>
internal struct ReplyReader(ReplyKind kind)
{
    private const ulong PayloadTag = DownloadReply.PayloadFieldNumber << 3 | 2, BytesTag = Received.BytesFieldNumber << 3;

    private FieldReader fields = new(isOpaque: kind == ReplyKind.Any);
    private long told;
    private readonly ReplyKind kind = kind;
    private bool hasMore;

    /// <summary>Bytes of the payload. For a Received message, the number of bytes that the server reports.</summary>
    public readonly long Payload => kind == ReplyKind.Any ? fields.Length : told;

    /// <summary>True when no byte has arrived yet.</summary>
    public readonly bool IsEmpty => fields.IsEmpty;

    /// <summary>
    /// True when exactly one whole message has arrived and its payload has this size. For
    /// <see cref="ReplyKind.Any"/>, any size is correct.
    /// </summary>
    public readonly bool IsComplete(long size) => fields.IsComplete && !hasMore && (kind == ReplyKind.Any || told == size);

    /// <summary>
    /// True when the bytes are not one valid message: no gRPC, no protobuf, more than one message, or a compressed
    /// message, which this client did not ask for.
    /// </summary>
    public readonly bool IsBroken => hasMore || fields.IsBroken;

    public void Reset() => this = new(kind);

    public void Read(ReadOnlySpan<byte> bytes)
    {
        while (fields.Next(ref bytes))
        {
            if (fields.Tag == (kind == ReplyKind.Download ? PayloadTag : BytesTag))
                told = (long)Math.Min(fields.Value, long.MaxValue);
        }
        hasMore |= !bytes.IsEmpty;
    }
}
