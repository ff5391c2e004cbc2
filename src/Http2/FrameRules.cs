using System.Buffers.Binary;

namespace IpcBench.Http2;

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
