using System.Buffers.Binary;

namespace IpcBench.Http2;

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
