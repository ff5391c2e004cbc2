using System.Buffers.Binary;

namespace IpcBench.Client.CalibrationServer;

/// <summary>The nine bytes before every HTTP/2 frame, and the numbers in them (RFC 9113, 4.1 and 6).</summary>
internal static class ReplyFrame
{
    public const int HeaderSize = 9;
    public const int StreamOffset = 5;
    public const int LargestContent = 16384;

    public const byte Data = 0, Headers = 1, ResetStream = 3, Settings = 4, Ping = 6, WindowUpdate = 8;
    public const byte EndStream = 1, Acknowledge = 1, EndHeaders = 4;

    public static void Write(Span<byte> into, int length, byte type, byte flags, int stream)
    {
        BinaryPrimitives.WriteInt32BigEndian(into, (length << 8) | type);
        into[4] = flags;
        BinaryPrimitives.WriteInt32BigEndian(into[StreamOffset..], stream);
    }

    /// <summary>A whole frame.</summary>
    public static byte[] Of(byte type, byte flags, int stream, params ReadOnlySpan<byte> content)
    {
        var frame = new byte[HeaderSize + content.Length];
        Write(frame, content.Length, type, flags, stream);
        content.CopyTo(frame.AsSpan(HeaderSize));
        return frame;
    }

    public static byte[] WindowUpdateOf(int increment)
    {
        var frame = Of(WindowUpdate, 0, 0, 0, 0, 0, 0);
        BinaryPrimitives.WriteInt32BigEndian(frame.AsSpan(HeaderSize), increment);
        return frame;
    }
}
