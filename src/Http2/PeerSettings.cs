namespace IpcBench.Http2;

/// <summary>The server's SETTINGS that a client must follow (RFC 9113, 6.5.2).</summary>
public sealed class PeerSettings
{
    public int HeaderTableSize { get; private set; } = 4096;

    /// <summary>The smallest <see cref="HeaderTableSize"/> since the SETTINGS frame before the last one.</summary>
    public int LeastHeaderTableSize { get; private set; } = 4096;

    public long MaxConcurrentStreams { get; private set; } = long.MaxValue;

    /// <summary>The send window of a new stream, in bytes.</summary>
    public long InitialWindow { get; private set; } = Http2Settings.DefaultWindow;

    /// <returns>The number of bytes by which the send windows of the open streams grow. Negative if they shrink.</returns>
    /// <exception cref="Http2Exception">A value is not allowed.</exception>
    public long Apply(ReadOnlySpan<byte> payload)
    {
        if (payload.Length % Http2Settings.Size != 0)
            throw new Http2Exception(Http2Error.FrameSize, "SETTINGS of a length that is not a multiple of 6");
        var before = InitialWindow;
        LeastHeaderTableSize = HeaderTableSize;
        while (Http2Settings.TryRead(ref payload, out var id, out var value))
            Apply(id, value);
        return InitialWindow - before;
    }

    private void Apply(SettingId id, uint value)
    {
        switch (id)
        {
            case SettingId.HeaderTableSize:
                HeaderTableSize = (int)Math.Min(value, int.MaxValue);
                LeastHeaderTableSize = Math.Min(LeastHeaderTableSize, HeaderTableSize);
                break;
            case SettingId.EnablePush when value != 0:
                throw new Http2Exception(Http2Error.Protocol, "a server that enables push");
            case SettingId.MaxConcurrentStreams:
                MaxConcurrentStreams = value;
                break;
            case SettingId.InitialWindowSize when value > int.MaxValue:
                throw new Http2Exception(Http2Error.FlowControl, "SETTINGS_INITIAL_WINDOW_SIZE above 2^31-1");
            case SettingId.InitialWindowSize:
                InitialWindow = value;
                break;
            case SettingId.MaxFrameSize when value is < 16384 or > 16777215:
                throw new Http2Exception(Http2Error.Protocol, "SETTINGS_MAX_FRAME_SIZE out of its range");
            default:
                break; // this client's frames never exceed the smallest allowed limit; unknown settings are ignored (RFC 9113, 6.5.2)
        }
    }
}
