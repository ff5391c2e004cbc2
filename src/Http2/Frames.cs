using System.Buffers;
using System.Buffers.Binary;

namespace IpcBench.Http2;

/// <summary>HTTP/2 frame types (RFC 9113, 6).</summary>
public enum FrameType : byte
{
    Data = 0,
    Headers = 1,
    Priority = 2,
    RstStream = 3,
    Settings = 4,
    PushPromise = 5,
    Ping = 6,
    GoAway = 7,
    WindowUpdate = 8,
    Continuation = 9,
}

/// <summary>HTTP/2 frame flags. On SETTINGS and PING, the bit of <see cref="EndStream"/> is <see cref="Ack"/>.</summary>
[Flags]
public enum FrameFlags : byte
{
    None = 0,
    EndStream = 0x1,
    Ack = 0x1,
    EndHeaders = 0x4,
    Padded = 0x8,
    Priority = 0x20,
}

/// <summary>The nine bytes before the payload of a frame (RFC 9113, 4.1).</summary>
public readonly record struct FrameHeader(int Length, FrameType Type, FrameFlags Flags, int StreamId)
{
    public const int Size = 9;

    public const int FlagsOffset = 4;

    /// <summary>The offset of the stream identifier.</summary>
    public const int StreamOffset = 5;

    public bool Has(FrameFlags flag) => (Flags & flag) != 0;

    public static FrameHeader Read(ReadOnlySpan<byte> bytes)
    {
        var word = BinaryPrimitives.ReadUInt64BigEndian(bytes);
        var streamId = (int)(((uint)word << 8 | bytes[8]) & 0x7FFFFFFF);
        return new((int)(word >> 40), (FrameType)(byte)(word >> 32), (FrameFlags)(byte)(word >> 24), streamId);
    }

    public void Write(Span<byte> bytes)
    {
        var word = (ulong)Length << 40 | (ulong)(byte)Type << 32 | (ulong)(byte)Flags << 24 | (uint)StreamId >> 8;
        BinaryPrimitives.WriteUInt64BigEndian(bytes, word);
        bytes[8] = (byte)StreamId;
    }
}

/// <summary>The rules of RFC 9113, section 6, for single frames.</summary>
public static class FrameRules
{
    public static void Length(FrameHeader header, int length)
    {
        if (header.Length != length)
            throw new Http2Exception(Http2Error.FrameSize, $"{header.Type} of a wrong length");
    }

    public static void OnConnection(FrameHeader header)
    {
        if (header.StreamId != 0)
            throw new Http2Exception(Http2Error.Protocol, $"{header.Type} on a stream");
    }

    public static void Priority(FrameHeader header)
    {
        if (header.StreamId == 0)
            throw new Http2Exception(Http2Error.Protocol, "PRIORITY on the connection");
        Length(header, 5);
    }

    public static void Ping(FrameHeader header)
    {
        OnConnection(header);
        Length(header, 8);
    }

    /// <returns>The last stream that the server may have processed.</returns>
    public static int GoAway(FrameHeader header, ReadOnlySpan<byte> payload)
    {
        OnConnection(header);
        if (payload.Length < 8)
            throw new Http2Exception(Http2Error.FrameSize, "GOAWAY of a wrong length");
        return BinaryPrimitives.ReadInt32BigEndian(payload) & int.MaxValue;
    }

    public static ReadOnlySpan<byte> WithoutPadding(FrameHeader header, ReadOnlySpan<byte> payload)
    {
        if (!header.Has(FrameFlags.Padded))
            return payload;
        if (payload.IsEmpty || payload[0] >= payload.Length)
            throw new Http2Exception(Http2Error.Protocol, "padding longer than its frame");
        return payload[1..^payload[0]];
    }

    /// <summary>
    /// Returns the payload without the five bytes of priority, if the frame has these bytes. Priority is deprecated (RFC 9113, 5.3.2).
    /// </summary>
    public static ReadOnlySpan<byte> WithoutPriority(FrameHeader header, ReadOnlySpan<byte> payload)
    {
        if (!header.Has(FrameFlags.Priority))
            return payload;
        return payload.Length >= 5 ? payload[5..] : throw new Http2Exception(Http2Error.FrameSize, "HEADERS too short for its priority");
    }

    /// <summary>
    /// Returns the error code for a WINDOW_UPDATE whose increment is 0 or makes a window
    /// larger than 2^31-1 (RFC 9113, 6.9 and 6.9.1).
    /// </summary>
    public static Http2Error WindowError(int increment) => increment == 0 ? Http2Error.Protocol : Http2Error.FlowControl;

    /// <returns>The increment. 0 is an error of the stream or of the connection (RFC 9113, 6.9).</returns>
    public static int WindowUpdate(FrameHeader header, ReadOnlySpan<byte> payload)
    {
        Length(header, 4);
        return BinaryPrimitives.ReadInt32BigEndian(payload) & int.MaxValue;
    }
}

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

    /// <param name="streamId">The stream. 0 for the connection.</param>
    /// <param name="increment">Bytes by which the peer's window grows.</param>
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

/// <summary>HTTP/2 error codes (RFC 9113, 7).</summary>
public enum Http2Error
{
    None = 0,
    Protocol = 1,
    Internal = 2,
    FlowControl = 3,
    SettingsTimeout = 4,
    StreamClosed = 5,
    FrameSize = 6,
    RefusedStream = 7,
    Cancel = 8,
    Compression = 9,
    Connect = 10,
    EnhanceYourCalm = 11,
    InadequateSecurity = 12,
    Http11Required = 13,
}

/// <summary>Reports that the peer violated HTTP/2. The connection catches this exception itself and ends.</summary>
public sealed class Http2Exception(Http2Error error, string message) : Exception(message)
{
    public Http2Error Error { get; } = error;
}

/// <summary>
/// Reports that a field block cannot be decoded. The connection must then end with COMPRESSION_ERROR (RFC 9113, 4.3).
/// </summary>
public sealed class HpackException(string message) : Exception(message);
