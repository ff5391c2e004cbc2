using System.Buffers.Binary;

namespace IpcBench.Http2;

/// <summary>The server's SETTINGS as far as they bind a client (RFC 9113, 6.5.2).</summary>
public sealed class PeerSettings
{
    public int HeaderTableSize { get; private set; } = 4096;

    public long MaxConcurrentStreams { get; private set; } = long.MaxValue;

    /// <summary>What a new stream may send.</summary>
    public long InitialWindow { get; private set; } = 65535;

    /// <returns>By how much the windows of the open streams change.</returns>
    /// <exception cref="Http2Exception">A value that is not allowed.</exception>
    public long Apply(ReadOnlySpan<byte> payload)
    {
        if (payload.Length % 6 != 0)
            throw new Http2Exception(Http2Error.FrameSize, "SETTINGS of a length that is no multiple of 6");
        var before = InitialWindow;
        for (; !payload.IsEmpty; payload = payload[6..])
            Apply(BinaryPrimitives.ReadUInt16BigEndian(payload), BinaryPrimitives.ReadUInt32BigEndian(payload[2..]));
        return InitialWindow - before;
    }

    private void Apply(int id, uint value)
    {
        switch (id)
        {
            case 1:
                HeaderTableSize = (int)Math.Min(value, int.MaxValue);
                break;
            case 2 when value != 0:
                throw new Http2Exception(Http2Error.Protocol, "a server that enables push");
            case 3:
                MaxConcurrentStreams = value;
                break;
            case 4 when value > int.MaxValue:
                throw new Http2Exception(Http2Error.FlowControl, "SETTINGS_INITIAL_WINDOW_SIZE above 2^31-1");
            case 4:
                InitialWindow = value;
                break;
            case 5 when value is < 16384 or > 16777215:
                throw new Http2Exception(Http2Error.Protocol, "SETTINGS_MAX_FRAME_SIZE out of its range");
            default:
                break; // the size of our frames is far below any allowed limit; unknown settings are ignored
        }
    }
}
