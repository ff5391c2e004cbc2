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

/// <summary>HTTP/2 frame flags; the bit of <see cref="EndStream"/> is <see cref="Ack"/> on SETTINGS and PING.</summary>
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

/// <summary>The nine bytes before each frame's payload (RFC 9113, 4.1).</summary>
public readonly record struct FrameHeader(int Length, FrameType Type, FrameFlags Flags, int StreamId)
{
    public const int Size = 9;

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

/// <summary>What RFC 9113, section 6, demands of single frames.</summary>
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

    /// <returns>The last stream that the server may have begun.</returns>
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
}
