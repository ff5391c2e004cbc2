using System.Buffers.Binary;
using System.Collections.Concurrent;

namespace IpcBench.Client.CalibrationServer;

/// <summary>The frames of one whole reply, encoded once: only the stream's number differs from call to call.</summary>
internal sealed class CannedReply
{
    // HPACK without the dynamic table: ":status: 200" is static entry 8, "content-type" the name of entry 31.
    private static readonly byte[] Headers = [0x88, 0x0f, 0x10, 0x10, .. "application/grpc"u8];
    private static readonly byte[] Trailers = [0x00, 0x0b, .. "grpc-status"u8, 0x01, (byte)'0'];

    private readonly byte[] bytes;
    private readonly int[] starts;      // of every frame, and the end
    private readonly int[] data;        // flow-controlled bytes of every frame

    /// <param name="size">Payload bytes.</param>
    /// <param name="frameSize">Most bytes of a DATA frame.</param>
    public CannedReply(int size, int frameSize)
    {
        (Size, FrameSize) = (size, frameSize);
        var message = Message(size);
        List<(byte Type, byte Flags, ReadOnlyMemory<byte> Content)> parts = [(ReplyFrame.Headers, ReplyFrame.EndHeaders, Headers)];
        for (var at = 0; at < message.Length; at += frameSize)
            parts.Add((ReplyFrame.Data, 0, message.AsMemory(at, Math.Min(frameSize, message.Length - at))));
        parts.Add((ReplyFrame.Headers, ReplyFrame.EndHeaders | ReplyFrame.EndStream, Trailers));

        bytes = new byte[parts.Sum(part => ReplyFrame.HeaderSize + part.Content.Length)];
        starts = new int[parts.Count + 1];
        data = new int[parts.Count];
        for (var i = 0; i < parts.Count; i++)
        {
            var (type, flags, content) = parts[i];
            ReplyFrame.Write(bytes.AsSpan(starts[i]), content.Length, type, flags, 0);
            content.Span.CopyTo(bytes.AsSpan(starts[i] + ReplyFrame.HeaderSize));
            starts[i + 1] = starts[i] + ReplyFrame.HeaderSize + content.Length;
            data[i] = type == ReplyFrame.Data ? content.Length : 0;
        }
    }

    public int Size { get; }

    public int FrameSize { get; }

    /// <summary>Bytes on the wire.</summary>
    public int Length => bytes.Length;

    /// <summary>End and flow-controlled bytes of the frame that begins at <paramref name="start"/>.</summary>
    public (int End, int Data) FrameAt(int start)
    {
        var frame = FrameOf(start);
        return (starts[frame + 1], data[frame]);
    }

    /// <summary>Copies from <paramref name="from"/> on until <paramref name="into"/> is full, for one stream.</summary>
    public void Copy(int from, Span<byte> into, int stream)
    {
        bytes.AsSpan(from, into.Length).CopyTo(into);
        for (var frame = FrameOf(from); frame < data.Length && starts[frame] < from + into.Length; frame++)
            PutStream(into, starts[frame] + ReplyFrame.StreamOffset - from, stream);
    }

    // A cut may run through the number itself.
    private static void PutStream(Span<byte> into, int at, int stream)
    {
        if (at >= 0 && at + sizeof(int) <= into.Length)
        {
            BinaryPrimitives.WriteInt32BigEndian(into[at..], stream);
            return;
        }
        for (var i = 0; i < sizeof(int); i++)
        {
            if (at + i >= 0 && at + i < into.Length)
                into[at + i] = (byte)(stream >> (24 - (8 * i)));
        }
    }

    private int FrameOf(int position)
    {
        if (position == 0)
            return 0;
        var found = Array.BinarySearch(starts, position);
        return found >= 0 ? found : ~found - 1;
    }

    // The gRPC prefix, then "payload = 1" of protos/bench.proto; an empty payload is not written.
    private static byte[] Message(int size)
    {
        var field = size == 0 ? [] : Field(size);
        var message = new byte[5 + field.Count + size];
        BinaryPrimitives.WriteInt32BigEndian(message.AsSpan(1), field.Count + size);
        field.CopyTo(message, 5);
        return message;
    }

    private static List<byte> Field(int size)
    {
        var field = new List<byte> { 0x0a };
        for (var rest = (uint)size; ; rest >>= 7)
        {
            field.Add((byte)(rest < 0x80 ? rest : rest | 0x80));
            if (rest < 0x80)
                return field;
        }
    }
}

/// <summary>The canned replies that were asked for so far, by payload and frame size.</summary>
internal sealed class ReplyShelf
{
    public const int LargestSize = 64 << 20;

    private readonly ConcurrentDictionary<(int Size, int FrameSize), CannedReply> replies = new();

    public CannedReply Find(int size, int frameSize) =>
        replies.GetOrAdd((size, frameSize), static key => new CannedReply(key.Size, key.FrameSize));
}
