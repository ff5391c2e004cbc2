using System.Buffers.Binary;
using System.Text;
using IpcBench.Http2;

namespace IpcBench.Client.Tests.Http2.Support;

/// <summary>What a server writes, frame by frame.</summary>
internal static class Frames
{
    public const byte EndStream = 1, Ack = 1, EndHeaders = 4, Padded = 8, Priority = 32;

    public static byte[] Frame(int type, int flags, int stream, params byte[] payload)
    {
        var frame = new byte[9 + payload.Length];
        new FrameHeader(payload.Length, (FrameType)type, (FrameFlags)flags, stream).Write(frame);
        payload.CopyTo(frame, 9);
        return frame;
    }

    public static byte[] Settings(params (int Id, uint Value)[] values)
    {
        var payload = new byte[values.Length * 6];
        for (var i = 0; i < values.Length; i++)
        {
            BinaryPrimitives.WriteUInt16BigEndian(payload.AsSpan(i * 6), (ushort)values[i].Id);
            BinaryPrimitives.WriteUInt32BigEndian(payload.AsSpan(i * 6 + 2), values[i].Value);
        }
        return Frame(4, 0, 0, payload);
    }

    public static byte[] Data(int stream, byte[] payload, bool end = false) => Frame(0, end ? EndStream : 0, stream, payload);

    public static byte[] Headers(int stream, bool end, params (string Name, string Value)[] fields) =>
        Frame(1, EndHeaders | (end ? EndStream : 0), stream, Block(fields));

    public static byte[] ResponseHeaders(int stream) => Headers(stream, false, (":status", "200"), ("content-type", "application/grpc"));

    public static byte[] Trailers(int stream, int status = 0) => Headers(stream, true, ("grpc-status", $"{status}"));

    public static byte[] WindowUpdate(int stream, uint increment) => Frame(8, 0, stream, Number(increment));

    public static byte[] Reset(int stream, uint code) => Frame(3, 0, stream, Number(code));

    public static byte[] GoAway(int lastStream, uint code = 0) => Frame(7, 0, 0, [.. Number((uint)lastStream), .. Number(code)]);

    /// <summary>A whole right answer of that many payload bytes.</summary>
    public static byte[] Reply(int stream, int size) => [.. ResponseHeaders(stream), .. Data(stream, Message(size)), .. Trailers(stream)];

    /// <summary>A length-prefixed DownloadReply.</summary>
    public static byte[] Message(int size)
    {
        var body = new Protocol.V1.DownloadReply { Payload = Google.Protobuf.ByteString.CopyFrom(new byte[size]) };
        return Prefixed(Google.Protobuf.MessageExtensions.ToByteArray(body));
    }

    public static byte[] Prefixed(byte[] message) => [0, .. Number((uint)message.Length), .. message];

    /// <summary>Literal fields without indexing.</summary>
    public static byte[] Block(params (string Name, string Value)[] fields)
    {
        var block = new List<byte>();
        foreach (var (name, value) in fields)
        {
            block.Add(0);
            foreach (var text in new[] { name, value })
            {
                Assert.True(text.Length < 127);
                block.Add((byte)text.Length);
                block.AddRange(Encoding.ASCII.GetBytes(text));
            }
        }
        return [.. block];
    }

    public static byte[] Number(uint value)
    {
        var bytes = new byte[4];
        BinaryPrimitives.WriteUInt32BigEndian(bytes, value);
        return bytes;
    }
}
