using System.Buffers.Binary;

namespace IpcBench.Protocol;

/// <summary>
/// Reads one length-prefixed protobuf message while its bytes arrive, in pieces of any length. Keeps only the current
/// field. The reader accepts every valid encoding without groups. Its owner decides which fields matter.
/// </summary>
/// <param name="isOpaque">True when the message may be of any type, so that its fields are not read.</param>
public struct FieldReader(bool isOpaque)
{
    private const int PrefixLength = 5, LongestVarint = 10;

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

    // The members of this struct are ordered to need no padding, because every stream of a connection has a reader.
    private readonly bool isOpaque = isOpaque;
    private State state;
    private byte bytesOfNumber;
    private uint messageLeft;
    private uint fieldLeft;
    private uint length;

    /// <summary>The tag of the last field that was found: field number and wire type in one number, as in the encoding.</summary>
    public ulong Tag { get; private set; }

    /// <summary>The value of the last field that was found. For a field of variable length, its length in bytes.</summary>
    public ulong Value { get; private set; }

    /// <summary>The length of the message in bytes. 0 until the prefix has arrived.</summary>
    public readonly uint Length => length;

    /// <summary>Whether no byte has arrived yet.</summary>
    public readonly bool IsEmpty => state == State.Flag;

    /// <summary>Whether the whole message has arrived.</summary>
    public readonly bool IsComplete => state == State.Complete;

    /// <summary>
    /// True when the bytes are not a valid gRPC or protobuf message, or when the message is compressed, which this tool never requests.
    /// </summary>
    public readonly bool IsBroken => state == State.Broken;

    /// <summary>Reads on to the next field of the message.</summary>
    /// <param name="bytes">
    /// In: the bytes that have arrived. Out: the bytes that follow the field, the message or the error. Often there are none.
    /// </param>
    /// <returns>
    /// True when a field was found. If the field has a length, the next call skips the field's bytes. False when the message is
    /// complete or invalid, or continues in bytes that have not arrived.
    /// </returns>
    public bool Next(ref ReadOnlySpan<byte> bytes)
    {
        var input = bytes; // a local copy: the compiler cannot know that no step changes the caller's span
        var at = state == State.Flag ? ReadPrefix(input) : 0;
        var found = false;
        while (at < input.Length && state < State.Complete && !found)
        {
            if (state == State.Skip)
                at += Skip(input.Length - at);
            else
                found = Step(input[at++]);
        }
        bytes = input[at..];
        return found;
    }

    /// <summary>
    /// Continues inside the last field of a message, after the owner itself has read all bytes before the field's
    /// content.
    /// </summary>
    /// <param name="length">The length of the message in bytes.</param>
    /// <param name="left">The number of bytes that follow. All of them belong to the field.</param>
    public void BeginLast(uint length, uint left) => (this.length, messageLeft, fieldLeft, state) = (length, left, left, State.Skip);

    /// <summary>Reads the prefix if all its bytes have arrived. Otherwise reads nothing.</summary>
    private int ReadPrefix(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < PrefixLength || bytes[0] != 0)
            return 0;
        BeginMessage(BinaryPrimitives.ReadUInt32BigEndian(bytes[1..]));
        return PrefixLength;
    }

    private int Skip(int most)
    {
        var take = Math.Min(fieldLeft, (uint)most);
        fieldLeft -= take;
        messageLeft -= take;
        if (fieldLeft == 0)
            NextField();
        return (int)take;
    }

    /// <returns>True when this byte completes a field.</returns>
    private bool Step(byte next)
    {
        if (bytesOfNumber == 0)
            Value = 0;
        switch (state)
        {
            case State.Flag:
                state = next == 0 ? State.Length : State.Broken;
                return false;
            case State.Length:
                Value = Value << 8 | next;
                if (++bytesOfNumber == sizeof(uint))
                    BeginMessage((uint)Value);
                return false;
            case State.Fixed:
                messageLeft--;
                Value |= (ulong)next << (8 * bytesOfNumber++);
                if (--fieldLeft > 0)
                    return false;
                NextField();
                return true;
            default:
                messageLeft--;
                return StepVarint(next);
        }
    }

    private bool StepVarint(byte next)
    {
        Value |= (ulong)(next & 0x7F) << (7 * bytesOfNumber++);
        if ((next & 0x80) != 0)
        {
            if (bytesOfNumber == LongestVarint || messageLeft == 0)
                state = State.Broken;
            return false;
        }
        if (state == State.Tag)
        {
            BeginField();
            return false;
        }
        if (state == State.FieldLength)
            return BeginBytes();
        NextField();
        return true;
    }

    private void BeginMessage(uint length)
    {
        this.length = messageLeft = length;
        if (this.isOpaque && length > 0)
            (state, fieldLeft) = (State.Skip, length);
        else
            NextField();
    }

    private void BeginField()
    {
        (Tag, bytesOfNumber) = (Value, 0);
        var (next, length) = (Tag < 8 ? 7 : Tag & 7) switch // field number 0 does not exist
        {
            0 => (State.Varint, 1u),
            1 => (State.Fixed, 8u),
            2 => (State.FieldLength, 1u),
            5 => (State.Fixed, 4u),
            _ => (State.Broken, 0u),
        };
        (state, fieldLeft) = (length > messageLeft ? State.Broken : next, length);
    }

    private bool BeginBytes()
    {
        if (Value > messageLeft)
        {
            state = State.Broken;
            return false;
        }
        (state, fieldLeft, bytesOfNumber) = (State.Skip, (uint)Value, 0);
        if (fieldLeft == 0)
            NextField();
        return true;
    }

    private void NextField() => (bytesOfNumber, state) = (0, messageLeft == 0 ? State.Complete : State.Tag);
}
