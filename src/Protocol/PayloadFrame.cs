using System.Buffers.Binary;
using IpcBench.Protocol.V1;

namespace IpcBench.Protocol;

/// <summary>
/// The head of a length-prefixed <see cref="Payload"/> message: all bytes before the bytes of its payload. The head has the
/// prefix, the stamp, the sequence, and the tag and length of the payload unless the payload is empty. Generated code writes
/// the same bytes, but needs an object for each message.
/// </summary>
public static class PayloadFrame
{
    /// <summary>The offsets of the stamp (eight bytes) and of the sequence (four bytes).</summary>
    public const int StampOffset = PrefixLength + 1, SequenceOffset = StampOffset + sizeof(ulong) + 1;

    /// <summary>The length of the longest head in bytes.</summary>
    public const int LongestHead = HeadOfEmpty + 1 + MostLength;

    internal const int PrefixLength = 5;
    internal const byte StampTag = Payload.StampFieldNumber << 3 | 1, SequenceTag = Payload.SequenceFieldNumber << 3 | 5;
    internal const byte PayloadTag = Payload.Payload_FieldNumber << 3 | 2;

    private const int HeadOfEmpty = SequenceOffset + sizeof(uint);
    private const int MostLength = 5;

    /// <summary>Makes the head of a message with <paramref name="size"/> bytes of payload. Stamp and sequence are 0.</summary>
    public static byte[] HeadOf(int size)
    {
        Span<byte> head = stackalloc byte[LongestHead];
        head.Clear();
        (head[StampOffset - 1], head[SequenceOffset - 1]) = (StampTag, SequenceTag);
        var end = HeadOfEmpty;
        if (size > 0)
            head[end++] = PayloadTag;
        for (var left = (uint)size; left > 0; left >>= 7)
            head[end++] = (byte)(left & 0x7F | (left > 0x7F ? 0x80u : 0));
        BinaryPrimitives.WriteInt32BigEndian(head[1..], end - PrefixLength + size);
        return head[..end].ToArray();
    }

    /// <summary>
    /// Makes a whole message with its prefix and <paramref name="size"/> bytes of
    /// <see cref="PayloadPattern"/>. Stamp and sequence are 0.
    /// </summary>
    public static byte[] ForSize(int size)
    {
        var head = HeadOf(size);
        var frame = GC.AllocateUninitializedArray<byte>(head.Length + size);
        head.CopyTo(frame, 0);
        PayloadPattern.Fill(frame.AsSpan(head.Length));
        return frame;
    }

    /// <summary>Writes stamp and sequence into a head, or into a message that begins with a head.</summary>
    public static void Number(Span<byte> head, ulong stamp, uint sequence)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(head[StampOffset..], stamp);
        BinaryPrimitives.WriteUInt32LittleEndian(head[SequenceOffset..], sequence);
    }
}
