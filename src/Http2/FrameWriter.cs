using System.Buffers;
using System.Buffers.Binary;

namespace IpcBench.Http2;

/// <summary>Writes HTTP/2 frames into any output.</summary>
public static class FrameWriter
{
    /// <summary>The connection preface of a client (RFC 9113, 3.4).</summary>
    public static ReadOnlySpan<byte> Preface => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8;

    public static void WriteFrame(
        this IBufferWriter<byte> output, FrameType type, FrameFlags flags, int streamId, params ReadOnlySpan<byte> payload)
    {
        var size = FrameHeader.Size + payload.Length;
        var frame = output.GetSpan(size);
        new FrameHeader(payload.Length, type, flags, streamId).Write(frame);
        payload.CopyTo(frame[FrameHeader.Size..]);
        output.Advance(size);
    }

    /// <summary>
    /// Writes a field block: a HEADERS frame, and CONTINUATION frames if the block does not fit into one frame (RFC 9113, 6.10).
    /// </summary>
    public static void WriteHeaders(this IBufferWriter<byte> output, FrameFlags flags, int streamId, ReadOnlySpan<byte> block)
    {
        var type = FrameType.Headers;
        for (; block.Length > FrameReader.MaxFrame; block = block[FrameReader.MaxFrame..])
        {
            output.WriteFrame(type, flags, streamId, block[..FrameReader.MaxFrame]);
            (type, flags) = (FrameType.Continuation, FrameFlags.None);
        }
        output.WriteFrame(type, flags | FrameFlags.EndHeaders, streamId, block);
    }

    /// <param name="streamId">The stream. 0 for the connection.</param>
    /// <param name="increment">The number of bytes by which the peer's window grows.</param>
    public static void WriteWindowUpdate(this IBufferWriter<byte> output, int streamId, int increment) =>
        output.WriteNumbers(FrameType.WindowUpdate, streamId, increment);

    public static void WriteReset(this IBufferWriter<byte> output, int streamId, Http2Error error) =>
        output.WriteNumbers(FrameType.RstStream, streamId, (int)error);

    /// <param name="lastStreamId">The last stream of the peer that was or will be processed.</param>
    /// <param name="error">The reason.</param>
    public static void WriteGoAway(this IBufferWriter<byte> output, int lastStreamId, Http2Error error) =>
        output.WriteNumbers(FrameType.GoAway, 0, lastStreamId, (int)error);

    public static void WriteSettings(this IBufferWriter<byte> output, params ReadOnlySpan<(SettingId Id, uint Value)> settings)
    {
        Span<byte> payload = stackalloc byte[settings.Length * Http2Settings.Size];
        for (var i = 0; i < settings.Length; i++)
        {
            BinaryPrimitives.WriteUInt16BigEndian(payload[(i * Http2Settings.Size)..], (ushort)settings[i].Id);
            BinaryPrimitives.WriteUInt32BigEndian(payload[(i * Http2Settings.Size + 2)..], settings[i].Value);
        }
        output.WriteFrame(FrameType.Settings, FrameFlags.None, 0, payload);
    }

    private static void WriteNumbers(this IBufferWriter<byte> output, FrameType type, int streamId, params ReadOnlySpan<int> numbers)
    {
        Span<byte> payload = stackalloc byte[numbers.Length * sizeof(int)];
        for (var i = 0; i < numbers.Length; i++)
            BinaryPrimitives.WriteInt32BigEndian(payload[(i * sizeof(int))..], numbers[i]);
        output.WriteFrame(type, FrameFlags.None, streamId, payload);
    }
}
