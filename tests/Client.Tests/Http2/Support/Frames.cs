using System.Buffers;
using System.Buffers.Binary;
using IpcBench.Http2;

namespace IpcBench.Client.Tests.Http2.Support;

/// <summary>Makes the frames that a server writes.</summary>
internal static class Frames
{
    public const byte EndStream = 1, Ack = 1, EndHeaders = 4, Padded = 8, Priority = 32;

    public static byte[] Frame(int type, int flags, int stream, params byte[] payload) =>
        Written(output => output.WriteFrame((FrameType)type, (FrameFlags)flags, stream, payload));

    public static byte[] Settings(params (int Id, uint Value)[] values) =>
        Written(output => output.WriteSettings([.. values.Select(setting => ((SettingId)setting.Id, setting.Value))]));

    public static byte[] Data(int stream, byte[] payload, bool end = false) => Frame(0, end ? EndStream : 0, stream, payload);

    public static byte[] Headers(int stream, bool end, params (string Name, string Value)[] fields) =>
        Frame(1, EndHeaders | (end ? EndStream : 0), stream, Block(fields));

    public static byte[] ResponseHeaders(int stream) => Headers(stream, false, (":status", "200"), ("content-type", "application/grpc"));

    public static byte[] Trailers(int stream, int status = 0) => Headers(stream, true, ("grpc-status", $"{status}"));

    // Some tests need numbers that no enumeration and no int has.
    public static byte[] WindowUpdate(int stream, uint increment) => Frame(8, 0, stream, Number(increment));

    public static byte[] Reset(int stream, uint code) => Frame(3, 0, stream, Number(code));

    public static byte[] GoAway(int lastStream, uint code = 0) => Written(output => output.WriteGoAway(lastStream, (Http2Error)code));

    public static byte[] Ping() => Frame(6, 0, 0, new byte[8]);

    /// <summary>Makes a complete right answer with <paramref name="size"/> payload bytes.</summary>
    public static byte[] Reply(int stream, int size) => [.. ResponseHeaders(stream), .. Data(stream, Message(size)), .. Trailers(stream)];

    /// <summary>Makes a complete answer with <paramref name="message"/>.</summary>
    public static byte[] Reply(int stream, byte[] message) =>
        [.. ResponseHeaders(stream), .. Data(stream, Prefixed(message)), .. Trailers(stream)];

    /// <summary>A length-prefixed DownloadReply.</summary>
    public static byte[] Message(int size)
    {
        var body = new Protocol.V1.DownloadReply { Payload = Google.Protobuf.ByteString.CopyFrom(new byte[size]) };
        return Prefixed(Google.Protobuf.MessageExtensions.ToByteArray(body));
    }

    public static byte[] Prefixed(byte[] message) => GrpcFraming.Frame(message);

    public static byte[] Block(params (string Name, string Value)[] fields) => FieldBlock.Encode(fields);

    public static byte[] Number(uint value)
    {
        var bytes = new byte[4];
        BinaryPrimitives.WriteUInt32BigEndian(bytes, value);
        return bytes;
    }

    /// <summary>Splits bytes into frames.</summary>
    public static List<(FrameHeader Header, byte[] Payload)> Cut(ReadOnlySpan<byte> bytes)
    {
        var frames = new List<(FrameHeader, byte[])>();
        for (; !bytes.IsEmpty; bytes = bytes[(FrameHeader.Size + frames[^1].Item2.Length)..])
        {
            var header = FrameHeader.Read(bytes);
            frames.Add((header, bytes.Slice(FrameHeader.Size, header.Length).ToArray()));
        }
        return frames;
    }

    private static byte[] Written(Action<IBufferWriter<byte>> write)
    {
        var output = new ArrayBufferWriter<byte>();
        write(output);
        return output.WrittenSpan.ToArray();
    }
}
