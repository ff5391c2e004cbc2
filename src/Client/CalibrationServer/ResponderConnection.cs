using System.Buffers;
using IpcBench.Http2;

namespace IpcBench.Client.CalibrationServer;

/// <summary>
/// The responder's side of one HTTP/2 connection, without its socket: whatever is called, the answer is a canned reply of the size asked
/// for. It looks at no header, so it costs almost nothing. Its only use is to find out how fast the client can be.
/// </summary>
internal sealed class ResponderConnection : IFrameHandler
{
    private const int CreditEvery = 1 << 20;

    private static readonly byte[] Greeting = Written(output =>
    {
        output.WriteSettings((SettingId.MaxConcurrentStreams, 1u << 20), (SettingId.InitialWindowSize, 1u << 20));
        output.WriteWindowUpdate(0, int.MaxValue - Http2Settings.DefaultWindow);
    });

    private readonly ReplyShelf shelf;
    private readonly ReplyQueue queue = new();
    private readonly FrameReader reader;
    private readonly byte[] request = new byte[16];     // the start of a DATA frame: more than the prefix and the size can take
    private int requestLength;
    private FrameHeader data;
    private CannedReply? reply;
    private int frameSize = FrameReader.MaxFrame;
    private int greeted;
    private int received;

    public ResponderConnection(ReplyShelf shelf)
    {
        this.shelf = shelf;
        reader = new FrameReader(this);
        queue.Add(Greeting);
    }

    bool IFrameHandler.IsClosed => false;

    /// <summary>Takes bytes, however they were cut on their way.</summary>
    /// <returns>False: this is no HTTP/2, close.</returns>
    public bool Take(ReadOnlySpan<byte> input)
    {
        if (greeted < FrameWriter.Preface.Length)
        {
            var known = Math.Min(input.Length, FrameWriter.Preface.Length - greeted);
            if (!input[..known].SequenceEqual(FrameWriter.Preface.Slice(greeted, known)))
                return false;
            greeted += known;
            input = input[known..];
        }
        try
        {
            reader.Read(input);
            return true;
        }
        catch (Http2Exception)
        {
            return false;
        }
    }

    /// <summary>Writes what is to be sent now; 0 when nothing is.</summary>
    public int Fill(Span<byte> into) => queue.Fill(into);

    void IFrameHandler.OnFrame(FrameHeader header, ReadOnlySpan<byte> payload)
    {
        switch (header.Type)
        {
            case FrameType.Headers:
                Answer(header, 0);
                break;
            case FrameType.Data:
                OnPaddedData(header, payload);
                break;
            case FrameType.Settings when !header.Has(FrameFlags.Ack):
                ReadSettings(payload);
                queue.Add(Written(static output => output.WriteFrame(FrameType.Settings, FrameFlags.Ack, 0)));
                break;
            case FrameType.Ping when !header.Has(FrameFlags.Ack):
                var echo = payload.ToArray();
                queue.Add(Written(output => output.WriteFrame(FrameType.Ping, FrameFlags.Ack, 0, echo)));
                break;
            case FrameType.WindowUpdate:
                queue.Credit(header.StreamId, FrameRules.WindowUpdate(header, payload));
                break;
            case FrameType.RstStream:
                queue.Cancel(header.StreamId);
                break;
        }
    }

    void IFrameHandler.OnDataBegin(FrameHeader header) => (data, requestLength) = (header, 0);

    void IFrameHandler.OnDataBytes(ReadOnlySpan<byte> bytes)
    {
        var count = Math.Min(bytes.Length, request.Length - requestLength);
        bytes[..count].CopyTo(request.AsSpan(requestLength));
        requestLength += count;
    }

    void IFrameHandler.OnDataEnd()
    {
        Received(data.Length);
        Answer(data, AskedSize(request.AsSpan(0, requestLength)));
    }

    private void OnPaddedData(FrameHeader header, ReadOnlySpan<byte> payload)
    {
        var handler = (IFrameHandler)this;
        handler.OnDataBegin(header);
        handler.OnDataBytes(FrameRules.WithoutPadding(header, payload));
        handler.OnDataEnd();
    }

    private void Answer(FrameHeader header, int size)
    {
        if (!header.Has(FrameFlags.EndStream))
            return;
        if (reply?.Size != size || reply.FrameSize != frameSize)
            reply = shelf.Find(size, frameSize);
        queue.Add(reply, header.StreamId);
    }

    // The gRPC prefix, then "size = 1" of protos/bench.proto as a varint, not written when it is 0.
    private static int AskedSize(ReadOnlySpan<byte> message)
    {
        const int sizeField = 0x08;
        if (message.Length <= GrpcFraming.PrefixLength || message[GrpcFraming.PrefixLength] != sizeField)
            return 0;
        var size = 0L;
        for (int i = GrpcFraming.PrefixLength + 1, shift = 0; i < message.Length && shift < 35; i++, shift += 7)
            size |= (long)(message[i] & 0x7f) << shift;
        return size <= ReplyShelf.LargestSize ? (int)size : 0;
    }

    private void Received(int bytes)
    {
        received += bytes;
        if (received < CreditEvery)
            return;
        var increment = received;
        queue.Add(Written(output => output.WriteWindowUpdate(0, increment)));
        received = 0;
    }

    private void ReadSettings(ReadOnlySpan<byte> payload)
    {
        while (Http2Settings.TryRead(ref payload, out var id, out var value))
        {
            if (id != SettingId.InitialWindowSize)
                continue;
            queue.SetInitialWindow(value);
            // Half of a small window, so that a client that gives credit by halves never waits for itself.
            frameSize = (int)Math.Clamp(queue.InitialWindow / 2, 1, FrameReader.MaxFrame);
        }
    }

    private static byte[] Written(Action<IBufferWriter<byte>> write)
    {
        var output = new ArrayBufferWriter<byte>();
        write(output);
        return output.WrittenSpan.ToArray();
    }
}
