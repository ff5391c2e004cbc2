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
