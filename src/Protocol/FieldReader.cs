using System.Buffers.Binary;

namespace IpcBench.Protocol;

/// <summary>
/// Reads one length-prefixed protobuf message as it streams by, cut anywhere, and keeps nothing of it but the field that it has come to.
/// Any valid encoding counts; which fields are of interest is its owner's matter.
/// </summary>
/// <param name="isOpaque">The message may be of any type: its fields are not looked at.</param>
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

    // The fields are in an order without padding, since every stream of a connection has a reader.
    private readonly bool isOpaque = isOpaque;
    private State state;
    private byte bytesOfNumber;
    private uint messageLeft;
    private uint fieldLeft;
    private uint length;

    /// <summary>Of the field that was found: its number and wire type.</summary>
    public ulong Tag { get; private set; }

    /// <summary>Of the field that was found: what it holds, or how many bytes where it has a length.</summary>
    public ulong Value { get; private set; }

    /// <summary>Bytes of the message; known once its prefix has come.</summary>
    public readonly uint Length => length;

    /// <summary>Nothing has come yet.</summary>
    public readonly bool IsEmpty => state == State.Flag;

    /// <summary>The whole message has come.</summary>
    public readonly bool IsComplete => state == State.Complete;

    /// <summary>Not a gRPC message, compressed without having been asked for, or no protobuf message.</summary>
    public readonly bool IsBroken => state == State.Broken;

    /// <summary>Reads on to the next field of the message.</summary>
    /// <param name="bytes">What has come; then what is left of it: nothing, or what follows a field, a message or a fault.</param>
    /// <returns>
    /// A field was found. Where it has a length its bytes are skipped with the next call. False: the message is complete or broken, or goes
    /// on in bytes that are still to come.
    /// </returns>
    public bool Next(ref ReadOnlySpan<byte> bytes)
    {
        var input = bytes; // its own: the compiler cannot know that no step changes the caller's
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

    /// <summary>Goes to the bytes of the last field: the owner has read the message of that length up to there.</summary>
    public void BeginLast(uint length, uint left) => (this.length, messageLeft, fieldLeft, state) = (length, left, left, State.Skip);

    /// <summary>Takes all of it at once when it is there; else nothing.</summary>
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

    /// <returns>A field was found.</returns>
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
        var (next, length) = (Tag < 8 ? 7 : Tag & 7) switch // there is no field number 0
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
