using Google.Protobuf;
using IpcBench.Http2;
using IpcBench.Protocol;

namespace IpcBench.Server.Services;

/// <summary>The bytes of a reply: prefix and message. A frame is immutable, so several replies may share it.</summary>
/// <param name="Head">The beginning of the frame, or the whole frame.</param>
/// <param name="PatternBytes">How many bytes of <see cref="PayloadPattern"/> follow the head.</param>
internal sealed record ReplyFrame(ReadOnlyMemory<byte> Head, int PatternBytes)
{
    public long Length => Head.Length + (long)PatternBytes;

    public static ReplyFrame From(IMessage message)
    {
        var size = message.CalculateSize();
        var frame = new byte[GrpcFraming.PrefixLength + size];
        GrpcFraming.WritePrefix(frame, size);
        message.WriteTo(frame.AsSpan(GrpcFraming.PrefixLength));
        return new ReplyFrame(frame, 0);
    }
}
