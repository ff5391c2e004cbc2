using System.Buffers.Binary;
using IpcBench.Protocol.V1;

namespace IpcBench.Protocol;

/// <summary>
/// The head of a length-prefixed <see cref="Payload"/> message: all bytes before the bytes of its payload. They are
/// prefix, stamp, sequence, then tag and length of a payload that is not empty. Generated code writes the same bytes, but
/// needs an object for each message.
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

/// <summary>
/// Reads length-prefixed <see cref="Payload"/> messages while their bytes arrive, and keeps only stamp, sequence and
/// lengths. Every valid encoding is accepted: unknown fields are skipped, and the last of a repeated field counts. Of
/// messages of any other type, only the lengths are known.
/// </summary>
/// <param name="isOpaque">Whether the messages are of any type. All bytes of a message then count as payload.</param>
public struct PayloadReader(bool isOpaque)
{
    private FieldReader fields = new(isOpaque);
    private long size;
    private readonly bool isOpaque = isOpaque;

    /// <summary>The stamp of the message that is being read, or was read last.</summary>
    public ulong Stamp { get; private set; }

    /// <summary>The sequence number of the message that is being read, or was read last.</summary>
    public uint Sequence { get; private set; }

    /// <summary>The length of the payload in bytes.</summary>
    public readonly long Size => isOpaque ? fields.Length : size;

    /// <inheritdoc cref="FieldReader.Length"/>
    public readonly long Length => fields.Length;

    /// <inheritdoc cref="FieldReader.IsComplete"/>
    public readonly bool IsComplete => fields.IsComplete;

    /// <summary>Whether no message is read in part: none has begun, or the last one is complete.</summary>
    public readonly bool IsBetween => fields.IsEmpty || fields.IsComplete;

    /// <inheritdoc cref="FieldReader.IsBroken"/>
    public readonly bool IsBroken => fields.IsBroken;

    /// <summary>
    /// Reads up to the end of one message and returns the number of bytes read. If the last message is complete, begins the next one.
    /// </summary>
    public int Read(ReadOnlySpan<byte> bytes)
    {
        if (fields.IsComplete)
            this = new(isOpaque);
        var rest = fields.IsEmpty && !isOpaque ? bytes[ReadPlainHead(bytes)..] : bytes;
        while (fields.Next(ref rest))
        {
            if (fields.Tag == PayloadFrame.StampTag)
                Stamp = fields.Value;
            else if (fields.Tag == PayloadFrame.SequenceTag)
                Sequence = (uint)fields.Value;
            else if (fields.Tag == PayloadFrame.PayloadTag)
                size = (long)fields.Value;
        }
        return bytes.Length - rest.Length;
    }

    /// <summary>
    /// Reads a head as <see cref="PayloadFrame"/> writes it, with a payload. Otherwise, or if fewer bytes than the
    /// longest head have arrived, reads nothing.
    /// </summary>
    private int ReadPlainHead(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < PayloadFrame.LongestHead || bytes[0] != 0 || bytes[PayloadFrame.StampOffset - 1] != PayloadFrame.StampTag
            || bytes[PayloadFrame.SequenceOffset - 1] != PayloadFrame.SequenceTag)
        {
            return 0;
        }
        var at = PayloadFrame.SequenceOffset + sizeof(uint);
        if (bytes[at++] != PayloadFrame.PayloadTag)
            return 0;
        var (told, shift) = (0L, 0);
        do
        {
            told |= (long)(bytes[at] & 0x7F) << shift;
            shift += 7;
        }
        while (bytes[at++] > 0x7F && at < PayloadFrame.LongestHead);
        var length = BinaryPrimitives.ReadUInt32BigEndian(bytes[1..]);
        if (bytes[at - 1] > 0x7F || told == 0 || length != at - PayloadFrame.PrefixLength + told)
            return 0;
        Stamp = BinaryPrimitives.ReadUInt64LittleEndian(bytes[PayloadFrame.StampOffset..]);
        Sequence = BinaryPrimitives.ReadUInt32LittleEndian(bytes[PayloadFrame.SequenceOffset..]);
        size = told;
        fields.BeginLast(length, (uint)told);
        return at;
    }
}

/// <summary>The content of payloads. One block is repeated, from the first byte of each payload.</summary>
public static class PayloadPattern
{
    private static readonly byte[] Shared = Make();

    public static int BlockBytes => Shared.Length;

    public static ReadOnlySpan<byte> Block => Shared;

    public static void Fill(Span<byte> payload)
    {
        for (; payload.Length > Shared.Length; payload = payload[Shared.Length..])
            Shared.CopyTo(payload);
        Shared.AsSpan(0, payload.Length).CopyTo(payload);
    }

    // The bytes are random, so that a payload that was joined at the wrong place is detected. The seed is fixed, so that
    // all runs have the same payload.
    private static byte[] Make()
    {
        const int blockBytes = 64 << 10, seed = 20;
        var block = new byte[blockBytes];
        new Random(seed).NextBytes(block);
        return block;
    }
}
