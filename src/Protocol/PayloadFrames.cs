using System.Buffers.Binary;
using IpcBench.Protocol.V1;

namespace IpcBench.Protocol;

/// <summary>
/// A length-prefixed <see cref="Payload"/> up to the first byte of its payload, as every generated code writes it, without an object for
/// each message: prefix, stamp, sequence, then tag and length of a payload that is not empty.
/// </summary>
public static class PayloadFrame
{
    /// <summary>Where the eight bytes of the stamp and the four of the sequence lie.</summary>
    public const int StampOffset = PrefixLength + 1, SequenceOffset = StampOffset + sizeof(ulong) + 1;

    /// <summary>Bytes of the longest head.</summary>
    public const int LongestHead = HeadOfEmpty + 1 + MostLength;

    internal const int PrefixLength = 5;
    internal const byte StampTag = Payload.StampFieldNumber << 3 | 1, SequenceTag = Payload.SequenceFieldNumber << 3 | 5;
    internal const byte PayloadTag = Payload.Payload_FieldNumber << 3 | 2;

    private const int HeadOfEmpty = SequenceOffset + sizeof(uint);
    private const int MostLength = 5;

    /// <summary>The head of a message with that many bytes of payload; stamp and sequence are 0.</summary>
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

    /// <summary>A whole message with its prefix, filled with the pattern; stamp and sequence are 0.</summary>
    public static byte[] Of(int size)
    {
        var head = HeadOf(size);
        var frame = GC.AllocateUninitializedArray<byte>(head.Length + size);
        head.CopyTo(frame, 0);
        PayloadPattern.Fill(frame.AsSpan(head.Length));
        return frame;
    }

    /// <summary>Writes the two numbers into a head, or a frame that begins with one.</summary>
    public static void Number(Span<byte> head, ulong stamp, uint sequence)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(head[StampOffset..], stamp);
        BinaryPrimitives.WriteUInt32LittleEndian(head[SequenceOffset..], sequence);
    }
}

/// <summary>
/// Reads length-prefixed <see cref="Payload"/> messages as they stream by and keeps nothing but their measures. Any valid encoding counts:
/// unknown fields are skipped, the last of a field wins.
/// </summary>
public struct PayloadReader
{
    private enum State : byte
    {
        Flag,
        Length,
        Tag,
        Varint,
        Fixed,
        FieldLength,
        Skip,
        Complete,
        Broken,
    }

    private State state;
    private byte bytesOfNumber;
    private ulong number;
    private ulong tag;
    private long messageLeft;
    private long fieldLeft;

    /// <summary>Of the message that is being read, or was last.</summary>
    public ulong Stamp { get; private set; }

    /// <inheritdoc cref="Stamp"/>
    public uint Sequence { get; private set; }

    /// <summary>Bytes of its payload.</summary>
    public long Size { get; private set; }

    /// <summary>Bytes of the message; known once its prefix has come.</summary>
    public long Length { get; private set; }

    /// <summary>A whole message has come.</summary>
    public readonly bool IsComplete => state == State.Complete;

    /// <summary>Nothing has come of a next message.</summary>
    public readonly bool IsBetween => state is State.Flag or State.Complete;

    /// <summary>Not a gRPC message, compressed without having been asked for, or no protobuf message.</summary>
    public readonly bool IsBroken => state == State.Broken;

    /// <summary>Takes bytes up to the end of one message and says how many; after a whole message the next one begins.</summary>
    public int Read(ReadOnlySpan<byte> bytes)
    {
        if (state == State.Complete)
            this = default;
        var taken = state == State.Flag ? ReadPlainHead(bytes) : 0;
        while (taken < bytes.Length && state < State.Complete)
        {
            if (state != State.Skip)
            {
                Step(bytes[taken++]);
                continue;
            }
            var take = (int)Math.Min(fieldLeft, bytes.Length - taken);
            taken += take;
            fieldLeft -= take;
            messageLeft -= take;
            if (fieldLeft == 0)
                NextField();
        }
        return taken;
    }

    /// <summary>Reads a head as <see cref="PayloadFrame"/> writes it, when all of it is there; else nothing.</summary>
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
        var (size, shift) = (0L, 0);
        do
        {
            size |= (long)(bytes[at] & 0x7F) << shift;
            shift += 7;
        }
        while (bytes[at++] > 0x7F && at < PayloadFrame.LongestHead);
        var length = BinaryPrimitives.ReadUInt32BigEndian(bytes[1..]);
        if (bytes[at - 1] > 0x7F || size == 0 || length != at - PayloadFrame.PrefixLength + size)
            return 0;
        Stamp = BinaryPrimitives.ReadUInt64LittleEndian(bytes[PayloadFrame.StampOffset..]);
        Sequence = BinaryPrimitives.ReadUInt32LittleEndian(bytes[PayloadFrame.SequenceOffset..]);
        (Length, Size, messageLeft, fieldLeft, state) = (length, size, size, size, State.Skip);
        return at;
    }

    private void Step(byte next)
    {
        switch (state)
        {
            case State.Flag:
                state = next == 0 ? State.Length : State.Broken;
                break;
            case State.Length:
                number = number << 8 | next;
                if (++bytesOfNumber == 4)
                {
                    Length = messageLeft = (long)number;
                    NextField();
                }
                break;
            case State.Fixed:
                messageLeft--;
                number |= (ulong)next << (8 * bytesOfNumber++);
                if (--fieldLeft == 0)
                    EndFixed();
                break;
            default:
                messageLeft--;
                StepVarint(next);
                break;
        }
    }

    private void StepVarint(byte next)
    {
        number |= (ulong)(next & 0x7F) << (7 * bytesOfNumber++);
        if ((next & 0x80) != 0)
        {
            if (bytesOfNumber == 10 || messageLeft == 0)
                state = State.Broken;
            return;
        }
        if (state == State.Tag)
            BeginField();
        else if (state == State.FieldLength)
            BeginBytes((long)Math.Min(number, long.MaxValue));
        else
            NextField();
    }

    private void BeginField()
    {
        tag = number;
        (number, bytesOfNumber) = (0, 0);
        var (next, length) = (tag < 8 ? 7 : tag & 7) switch // there is no field number 0
        {
            0 => (State.Varint, 1),
            1 => (State.Fixed, 8),
            2 => (State.FieldLength, 1),
            5 => (State.Fixed, 4),
            _ => (State.Broken, 0),
        };
        (state, fieldLeft) = (length > messageLeft ? State.Broken : next, length);
    }

    private void BeginBytes(long length)
    {
        if (tag == PayloadFrame.PayloadTag)
            Size = length;
        fieldLeft = length;
        state = length > messageLeft ? State.Broken : State.Skip;
        if (length == 0)
            NextField();
    }

    private void EndFixed()
    {
        if (tag == PayloadFrame.StampTag)
            Stamp = number;
        else if (tag == PayloadFrame.SequenceTag)
            Sequence = (uint)number;
        NextField();
    }

    private void NextField()
    {
        (number, bytesOfNumber) = (0, 0);
        state = messageLeft == 0 ? State.Complete : State.Tag;
    }
}

/// <summary>What payloads are made of: one block, repeated from a payload's first byte on.</summary>
public static class PayloadPattern
{
    private static readonly byte[] Shared = Make();

    /// <summary>Bytes of the block.</summary>
    public static int BlockBytes => Shared.Length;

    /// <summary>The block itself.</summary>
    public static ReadOnlySpan<byte> Block => Shared;

    /// <summary>Fills a payload.</summary>
    public static void Fill(Span<byte> payload)
    {
        for (; payload.Length > Shared.Length; payload = payload[Shared.Length..])
            Shared.CopyTo(payload);
        Shared.AsSpan(0, payload.Length).CopyTo(payload);
    }

    // Bytes that differ, so that a payload cut and glued at the wrong place can be told from a right one; fixed, so that runs are alike.
    private static byte[] Make()
    {
        const int blockBytes = 64 << 10, seed = 20;
        var block = new byte[blockBytes];
        new Random(seed).NextBytes(block);
        return block;
    }
}
