using System.Buffers.Binary;

namespace IpcBench.Http2;

/// <summary>The five bytes before every gRPC message: a flag (1 = compressed) and the length, big-endian.</summary>
public static class GrpcFraming
{
    /// <summary>Bytes of the prefix.</summary>
    public const int PrefixLength = 5;

    /// <summary>Writes the prefix of an uncompressed message of <paramref name="messageLength"/> bytes.</summary>
    public static void WritePrefix(Span<byte> destination, int messageLength)
    {
        destination[0] = 0;
        BinaryPrimitives.WriteUInt32BigEndian(destination[1..], (uint)messageLength);
    }

    /// <summary>Reads a prefix; <paramref name="flag"/> other than 0 and 1 is a broken frame.</summary>
    public static void ReadPrefix(ReadOnlySpan<byte> prefix, out byte flag, out uint messageLength)
    {
        flag = prefix[0];
        messageLength = BinaryPrimitives.ReadUInt32BigEndian(prefix[1..]);
    }
}
