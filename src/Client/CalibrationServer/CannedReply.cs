using System.Buffers.Binary;
using System.Collections.Concurrent;
using Google.Protobuf;
using IpcBench.Http2;
using IpcBench.Protocol.V1;

namespace IpcBench.Client.CalibrationServer;

/// <summary>The frames of one whole reply, encoded once: only the stream's number differs from call to call.</summary>
internal sealed class CannedReply
{
    private static readonly byte[] Headers = FieldBlock.Of([(":status", "200"), ("content-type", "application/grpc")]);
    private static readonly byte[] Trailers = FieldBlock.Of([("grpc-status", GrpcStatus.Text(GrpcStatusCode.Ok))]);

    private readonly byte[] bytes;
    private readonly int[] starts;      // of every frame, and the end
    private readonly int[] data;        // flow-controlled bytes of every frame

    /// <param name="size">Payload bytes.</param>
    /// <param name="frameSize">Most bytes of a DATA frame.</param>
    public CannedReply(int size, int frameSize)
    {
        (Size, FrameSize) = (size, frameSize);
        var message = Message(size);
        List<(FrameType Type, FrameFlags Flags, ReadOnlyMemory<byte> Content)> parts =
            [(FrameType.Headers, FrameFlags.EndHeaders, Headers)];
        for (var at = 0; at < message.Length; at += frameSize)
            parts.Add((FrameType.Data, FrameFlags.None, message.AsMemory(at, Math.Min(frameSize, message.Length - at))));
        parts.Add((FrameType.Headers, FrameFlags.EndHeaders | FrameFlags.EndStream, Trailers));

        bytes = new byte[parts.Sum(part => FrameHeader.Size + part.Content.Length)];
        starts = new int[parts.Count + 1];
        data = new int[parts.Count];
        for (var i = 0; i < parts.Count; i++)
        {
            var (type, flags, content) = parts[i];
            new FrameHeader(content.Length, type, flags, 0).Write(bytes.AsSpan(starts[i]));
            content.Span.CopyTo(bytes.AsSpan(starts[i] + FrameHeader.Size));
            starts[i + 1] = starts[i] + FrameHeader.Size + content.Length;
            data[i] = type == FrameType.Data ? content.Length : 0;
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
            PutStream(into, starts[frame] + FrameHeader.StreamOffset - from, stream);
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

    private static byte[] Message(int size) =>
        GrpcFraming.Frame(new DownloadReply { Payload = UnsafeByteOperations.UnsafeWrap(new byte[size]) }.ToByteArray());
}

/// <summary>The canned replies that were asked for so far, by payload and frame size.</summary>
internal sealed class ReplyShelf
{
    public const int LargestSize = 64 << 20;

    private readonly ConcurrentDictionary<(int Size, int FrameSize), CannedReply> replies = new();

    public CannedReply Find(int size, int frameSize) =>
        replies.GetOrAdd((size, frameSize), static key => new CannedReply(key.Size, key.FrameSize));
}
