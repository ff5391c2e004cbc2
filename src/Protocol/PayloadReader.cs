using System.Buffers.Binary;
using IpcBench.Protocol.V1;

namespace IpcBench.Protocol;

/// <summary>
/// Reads length-prefixed <see cref="Payload"/> messages while their bytes arrive, and keeps only stamp, sequence and
/// lengths. Every valid encoding without groups is accepted: unknown fields are skipped, and of a field that occurs several times the last
/// value counts. Of messages of any other type, only the lengths are read.
/// </summary>
/// <param name="isOpaque">True when the messages may be of any type. Then all bytes of a message count as payload.</param>
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

    /// <summary>True when no message has been read only in part: no byte has arrived yet, or the last message is complete.</summary>
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
    /// Reads a head that <see cref="PayloadFrame"/> wrote for a payload of at least one byte, and returns its length.
    /// Reads nothing and returns 0 for any other head, or if fewer bytes than the longest head have arrived.
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
