using System.Buffers.Binary;

namespace IpcBench.Http2;

/// <summary>The nine bytes before the payload of a frame (RFC 9113, 4.1).</summary>
public readonly record struct FrameHeader(int Length, FrameType Type, FrameFlags Flags, int StreamId)
{
    public const int Size = 9;

    public const int FlagsOffset = 4;

    public const int StreamOffset = 5;

    public bool Has(FrameFlags flag) => (Flags & flag) != 0;

    public static FrameHeader Read(ReadOnlySpan<byte> bytes)
    {
        var word = BinaryPrimitives.ReadUInt64BigEndian(bytes);
        var streamId = (int)(((uint)word << 8 | bytes[8]) & 0x7FFFFFFF);
        return new((int)(word >> 40), (FrameType)(byte)(word >> 32), (FrameFlags)(byte)(word >> 24), streamId);
    }

    public void Write(Span<byte> bytes)
    {
        var word = (ulong)Length << 40 | (ulong)(byte)Type << 32 | (ulong)(byte)Flags << 24 | (uint)StreamId >> 8;
        BinaryPrimitives.WriteUInt64BigEndian(bytes, word);
        bytes[8] = (byte)StreamId;
    }
}
