using Google.Protobuf;
using IpcBench.Http2;
using IpcBench.Protocol.V1;

namespace IpcBench.Server.Services;

/// <summary>
/// The replies of <c>Download</c>. Those of the first sizes asked for are made once and kept; any others are written from the pattern.
/// </summary>
internal sealed class DownloadReplies
{
    private const long KeptBytes = 128 << 20;

    private readonly KeptBySize<ReplyFrame> kept = new(Make, KeptBytes);

    /// <summary>The frame of a <see cref="DownloadReply"/> with exactly <paramref name="size"/> payload bytes.</summary>
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

    // Prefix, then the field's tag and length. A payload of no bytes is a message of no bytes (proto3 leaves out what is empty).
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
