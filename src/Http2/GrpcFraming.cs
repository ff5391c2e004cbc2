using System.Buffers.Binary;

namespace IpcBench.Http2;

/// <summary>The five bytes before every gRPC message: a flag (1 = compressed) and the length, big-endian.</summary>
public static class GrpcFraming
{
    public const int PrefixLength = 5;

    /// <summary>Writes the prefix of an uncompressed message of <paramref name="messageLength"/> bytes.</summary>
    public static void WritePrefix(Span<byte> destination, int messageLength)
    {
        destination[0] = 0;
        BinaryPrimitives.WriteUInt32BigEndian(destination[1..], (uint)messageLength);
    }

    /// <summary>Returns the prefix, followed by the message.</summary>
    /// <param name="message">The message's bytes.</param>
    /// <param name="flag">1 when the message is compressed.</param>
    public static byte[] Frame(ReadOnlySpan<byte> message, byte flag = 0)
    {
        var frame = new byte[PrefixLength + message.Length];
        WritePrefix(frame, message.Length);
        frame[0] = flag;
        message.CopyTo(frame.AsSpan(PrefixLength));
        return frame;
    }

    /// <summary>Reads a prefix and checks nothing. The caller must reject a <paramref name="flag"/> other than 0 and 1.</summary>
    public static void ReadPrefix(ReadOnlySpan<byte> prefix, out byte flag, out uint messageLength)
    {
        flag = prefix[0];
        messageLength = BinaryPrimitives.ReadUInt32BigEndian(prefix[1..]);
    }
}
