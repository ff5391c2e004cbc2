namespace IpcBench.Http2;

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

/// <summary>The peer broke HTTP/2 so that the connection cannot go on; never leaves the connection.</summary>
public sealed class Http2Exception(Http2Error error, string message) : Exception(message)
{
    public Http2Error Error { get; } = error;
}

/// <summary>A header block that cannot be decoded: the connection is lost (RFC 7541, 2.3.3 and elsewhere: COMPRESSION_ERROR).</summary>
public sealed class HpackException(string message) : Exception(message);
