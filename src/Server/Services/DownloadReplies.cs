using System.Buffers;
using Google.Protobuf;
using IpcBench.Http2;
using IpcBench.Protocol;
using IpcBench.Protocol.V1;

namespace IpcBench.Server.Services;

/// <summary>
/// The replies of <c>Download</c>. For the first sizes that clients ask for, whole frames are kept. Other replies are
/// written from the pattern.
/// </summary>
internal sealed class DownloadReplies
{
    private const long KeptBytes = 128 << 20;

    private readonly KeptBySize<ReplyFrame> kept = new(Make, KeptBytes);

    /// <summary>Returns the frame of a <see cref="DownloadReply"/> with exactly <paramref name="size"/> payload bytes.</summary>
    public ReplyFrame For(int size) => kept.For(size);

    private static ReplyFrame Make(int size, bool isKept)
    {
        var head = HeadOf(size);
        if (!isKept)
            return new ReplyFrame(head, size);
        var whole = GC.AllocateUninitializedArray<byte>(head.Length + size);
        head.CopyTo(whole, 0);
        PayloadPattern.Fill(whole.AsSpan(head.Length));
        return new ReplyFrame(whole, 0);
    }

    // The head is the prefix, then the field's tag and length. An empty payload makes an empty message (proto3 omits empty fields).
    private static byte[] HeadOf(int size)
    {
        var tag = size == 0
            ? 0
            : CodedOutputStream.ComputeTagSize(DownloadReply.PayloadFieldNumber) + CodedOutputStream.ComputeLengthSize(size);
        var head = new byte[GrpcFraming.PrefixLength + tag];
        GrpcFraming.WritePrefix(head, tag + size);
        if (size == 0)
            return head;
        using var output = new CodedOutputStream(new MemoryStream(head, GrpcFraming.PrefixLength, tag));
        output.WriteTag(DownloadReply.PayloadFieldNumber, WireFormat.WireType.LengthDelimited);
        output.WriteLength(size);
        return head;
    }
}

/// <summary>Reads the field of a <see cref="DownloadRequest"/>.</summary>
internal static class DownloadSize
{
    private static readonly MessageParser<DownloadRequest> Parser = DownloadRequest.Parser.WithDiscardUnknownFields(true);

    /// <exception cref="InvalidProtocolBufferException">The bytes are no DownloadRequest.</exception>
    public static long Parse(in ReadOnlySequence<byte> message)
    {
        if (message.IsEmpty)
            return 0;
        if (message.IsSingleSegment && TryParsePlain(message.FirstSpan, out var size))
            return size;
        return Parser.ParseFrom(message).Size;
    }

    // Reads only the form that every generated client sends: the tag and a varint of at most nine bytes. This
    // saves an object per call.
    private static bool TryParsePlain(ReadOnlySpan<byte> message, out long size)
    {
        const byte tag = (DownloadRequest.SizeFieldNumber << 3) | (byte)WireFormat.WireType.Varint;
        const int mostBytes = 10;
        size = 0;
        if (message[0] != tag || message.Length is < 2 or > mostBytes)
            return false;
        for (var at = 1; at < message.Length; at++)
        {
            size |= (long)(message[at] & 0x7F) << (7 * (at - 1));
            if (message[at] < 0x80)
                return at == message.Length - 1;
        }
        return false;
    }
}
