using System.Buffers.Binary;

namespace IpcBench.Client.CalibrationServer;

/// <summary>
/// The responder's side of one HTTP/2 connection, without its socket: whatever is called, the answer is a canned reply of the size asked
/// for. It looks at no header, so it costs almost nothing, and it is good for nothing but to see how fast the client can be.
/// </summary>
internal sealed class ResponderConnection
{
    private const int CreditEvery = 1 << 20;
    private const int WholeWindow = int.MaxValue;

    private static readonly byte[] Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8.ToArray();

    // MAX_CONCURRENT_STREAMS (3) of 2^20, INITIAL_WINDOW_SIZE (4) of 2^20.
    private static readonly byte[] OwnSettings = ReplyFrame.Of(ReplyFrame.Settings, 0, 0, 0, 3, 0, 16, 0, 0, 0, 4, 0, 16, 0, 0);

    private readonly ReplyShelf shelf;
    private readonly ReplyQueue queue = new();
    private CannedReply? reply;
    private int frameSize = ReplyFrame.LargestContent;
    private bool begun;
    private int received;

    public ResponderConnection(ReplyShelf shelf)
    {
        this.shelf = shelf;
        queue.Add(OwnSettings);
        queue.Add(ReplyFrame.WindowUpdateOf(WholeWindow - 65_535));
    }

    /// <summary>Takes all whole frames at the start of <paramref name="input"/>.</summary>
    /// <returns>Bytes taken; the rest must come again with more. -1: this is no HTTP/2, close.</returns>
    public int Take(ReadOnlySpan<byte> input)
    {
        var taken = 0;
        if (!begun)
        {
            var known = Math.Min(input.Length, Preface.Length);
            if (!input[..known].SequenceEqual(Preface.AsSpan(0, known)))
                return -1;
            if (known < Preface.Length)
                return 0;
            (begun, taken) = (true, known);
        }
        while (input.Length - taken >= ReplyFrame.HeaderSize)
        {
            var frame = input[taken..];
            var length = BinaryPrimitives.ReadInt32BigEndian(frame) >>> 8;
            if (length > ReplyFrame.LargestContent)
                return -1;
            if (frame.Length < ReplyFrame.HeaderSize + length)
                break;
            var stream = BinaryPrimitives.ReadInt32BigEndian(frame[ReplyFrame.StreamOffset..]) & int.MaxValue;
            Handle(frame[3], frame[4], stream, frame.Slice(ReplyFrame.HeaderSize, length));
            taken += ReplyFrame.HeaderSize + length;
        }
        return taken;
    }

    /// <summary>Writes what is to be sent now; 0 when nothing is.</summary>
    public int Fill(Span<byte> into) => queue.Fill(into);

    private void Handle(byte type, byte flags, int stream, ReadOnlySpan<byte> content)
    {
        switch (type)
        {
            case ReplyFrame.Headers:
                Answer(flags, stream, 0);
                break;
            case ReplyFrame.Data:
                Received(content.Length);
                Answer(flags, stream, AskedSize(content));
                break;
            case ReplyFrame.Settings when (flags & ReplyFrame.Acknowledge) == 0:
                ReadSettings(content);
                queue.Add(ReplyFrame.Of(ReplyFrame.Settings, ReplyFrame.Acknowledge, 0));
                break;
            case ReplyFrame.Ping when (flags & ReplyFrame.Acknowledge) == 0:
                queue.Add(ReplyFrame.Of(ReplyFrame.Ping, ReplyFrame.Acknowledge, 0, content));
                break;
            case ReplyFrame.WindowUpdate when content.Length == 4:
                queue.Credit(stream, BinaryPrimitives.ReadInt32BigEndian(content) & int.MaxValue);
                break;
            case ReplyFrame.ResetStream:
                queue.Cancel(stream);
                break;
        }
    }

    private void Answer(byte flags, int stream, int size)
    {
        if ((flags & ReplyFrame.EndStream) == 0)
            return;
        if (reply?.Size != size || reply.FrameSize != frameSize)
            reply = shelf.Find(size, frameSize);
        queue.Add(reply, stream);
    }

    // The gRPC prefix, then "size = 1" of protos/bench.proto as a varint, not written when it is 0.
    private static int AskedSize(ReadOnlySpan<byte> message)
    {
        const int prefix = 5, sizeField = 0x08;
        if (message.Length <= prefix || message[prefix] != sizeField)
            return 0;
        var size = 0L;
        for (int i = prefix + 1, shift = 0; i < message.Length && shift < 35; i++, shift += 7)
            size |= (long)(message[i] & 0x7f) << shift;
        return size <= ReplyShelf.LargestSize ? (int)size : 0;
    }

    private void Received(int bytes)
    {
        received += bytes;
        if (received < CreditEvery)
            return;
        queue.Add(ReplyFrame.WindowUpdateOf(received));
        received = 0;
    }

    private void ReadSettings(ReadOnlySpan<byte> content)
    {
        const int initialWindowSize = 4;
        for (; content.Length >= 6; content = content[6..])
        {
            if (BinaryPrimitives.ReadUInt16BigEndian(content) != initialWindowSize)
                continue;
            queue.SetInitialWindow(BinaryPrimitives.ReadUInt32BigEndian(content[2..]));
            // Half of a small window, so that a client that gives credit by halves never waits for itself.
            frameSize = (int)Math.Clamp(queue.InitialWindow / 2, 1, ReplyFrame.LargestContent);
        }
    }
}
