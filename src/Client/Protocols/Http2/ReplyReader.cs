using IpcBench.Protocol;
using IpcBench.Protocol.V1;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>
/// Reads the one length-prefixed message of a call's reply as it streams by and keeps nothing but its measures. Of a DownloadReply any
/// valid encoding counts (unknown fields are skipped, the last payload field wins), though every known server sends prefix, tag, length,
/// payload.
/// </summary>
/// <param name="kind">Which message it is.</param>
internal struct ReplyReader(ReplyKind kind)
{
    private const ulong PayloadTag = DownloadReply.PayloadFieldNumber << 3 | 2, BytesTag = Received.BytesFieldNumber << 3;

    private FieldReader fields = new(isOpaque: kind == ReplyKind.Any);
    private long told;
    private readonly ReplyKind kind = kind;
    private bool hasMore;

    /// <summary>Bytes of the payload; those that were received where it is that message.</summary>
    public readonly long Payload => kind == ReplyKind.Any ? fields.Length : told;

    /// <summary>Nothing has come yet.</summary>
    public readonly bool IsEmpty => fields.IsEmpty;

    /// <summary>A whole message came, nothing more, and its payload has this many bytes, or may have any number of them.</summary>
    public readonly bool IsComplete(long size) => fields.IsComplete && !hasMore && (kind == ReplyKind.Any || told == size);

    /// <summary>Not a gRPC message, compressed without having been asked for, no protobuf message, or more than one.</summary>
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

/// <summary>What the message of a reply is.</summary>
internal enum ReplyKind : byte
{
    /// <summary>A DownloadReply.</summary>
    Download,

    /// <summary>A Received, which says how many bytes of payload have come to the server.</summary>
    Received,

    /// <summary>Another message, of any size: prefix and length are looked at, and all of it is payload.</summary>
    Any,
}
