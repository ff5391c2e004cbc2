using Google.Protobuf;
using IpcBench.Http2;

namespace IpcBench.Server.Services;

/// <summary>The bytes of one reply: prefix and message. Immutable and shared by all calls that ask for the same.</summary>
/// <param name="Head">The start of the frame, or all of it.</param>
/// <param name="PatternBytes">How many bytes of <see cref="PayloadPattern"/> follow the head.</param>
internal sealed record ReplyFrame(ReadOnlyMemory<byte> Head, int PatternBytes)
{
    /// <summary>Bytes of the whole frame.</summary>
    public long Length => Head.Length + (long)PatternBytes;

    /// <summary>The frame of any message.</summary>
    public static ReplyFrame Of(IMessage message)
    {
        var size = message.CalculateSize();
        var frame = new byte[GrpcFraming.PrefixLength + size];
        GrpcFraming.WritePrefix(frame, size);
        message.WriteTo(frame.AsSpan(GrpcFraming.PrefixLength));
        return new ReplyFrame(frame, 0);
    }
}
