namespace IpcBench.Client.Protocols.Http2;

/// <summary>
/// Reads the one length-prefixed message of a call's reply as it streams by and keeps nothing but its measures. Of a DownloadReply any
/// valid encoding counts (unknown fields are skipped, the last payload field wins), though every known server sends prefix, tag, length,
/// payload.
/// </summary>
/// <param name="kind">Which message it is.</param>
internal struct ReplyReader(ReplyKind kind)
{
    private enum State : byte
    {
        Flag,
        Length,
        Tag,
        Varint,
        FieldLength,
        Skip,
        Done,
        Broken,
    }

    private const int PayloadTag = 1 << 3 | 2, BytesTag = 1 << 3;

    private State state;
    private byte bytesOfNumber;
    private ulong number;
    private ulong tag;
    private long messageLeft;
    private long fieldLeft;

    /// <summary>Bytes of the payload; those that were received where it is that message.</summary>
    public long Payload { get; private set; }

    /// <summary>Nothing has come yet.</summary>
    public readonly bool IsEmpty => state == State.Flag;

    /// <summary>A whole message came, nothing more, and its payload has this many bytes, or may have any number of them.</summary>
    public readonly bool IsComplete(long size) => state == State.Done && (kind == ReplyKind.Any || Payload == size);

    /// <summary>Not a gRPC message, compressed without having been asked for, or no protobuf message.</summary>
    public readonly bool IsBroken => state == State.Broken;

    public void Reset() => this = new(kind);

    public void Read(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            if (state == State.Skip)
            {
                var take = (int)Math.Min(fieldLeft, bytes.Length);
                bytes = bytes[take..];
                fieldLeft -= take;
                messageLeft -= take;
                if (fieldLeft == 0)
                    NextField();
                continue;
            }
            Step(bytes[0]);
            bytes = bytes[1..];
            if (state == State.Broken)
                return;
        }
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
                    messageLeft = (long)number;
                    if (kind == ReplyKind.Any)
                        Skip(messageLeft);
                    else
                        NextField();
                }
                break;
            case State.Tag or State.Varint or State.FieldLength:
                messageLeft--;
                StepVarint(next);
                break;
            default:
                state = State.Broken; // a second message, or bytes after a broken one
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
            Skip((long)Math.Min(number, long.MaxValue));
        else
            EndVarint();
    }

    private void EndVarint()
    {
        if (tag == BytesTag && kind == ReplyKind.Received)
            Payload = (long)Math.Min(number, long.MaxValue);
        NextField();
    }

    private void BeginField()
    {
        tag = number;
        (number, bytesOfNumber) = (0, 0);
        switch (tag < 8 ? 7 : tag & 7) // there is no field number 0
        {
            case 0 when messageLeft > 0:
                state = State.Varint;
                break;
            case 2 when messageLeft > 0:
                state = State.FieldLength;
                break;
            case 1:
                Skip(8);
                break;
            case 5:
                Skip(4);
                break;
            default:
                state = State.Broken;
                break;
        }
    }

    private void Skip(long length)
    {
        if ((tag == PayloadTag && kind == ReplyKind.Download) || kind == ReplyKind.Any)
            Payload = length;
        fieldLeft = length;
        state = length > messageLeft ? State.Broken : State.Skip;
        if (length == 0)
            NextField();
    }

    private void NextField()
    {
        (number, bytesOfNumber) = (0, 0);
        state = messageLeft == 0 ? State.Done : State.Tag;
    }
}

/// <summary>What the message of a reply is.</summary>
internal enum ReplyKind : byte
{
    /// <summary>A DownloadReply.</summary>
    Download,

    /// <summary>A Received, which says how many bytes of payload have come to the server.</summary>
    Received,

    /// <summary>Another message, of any size: prefix and length are looked at, and all of it is payload.</summary>
    Any,
}
