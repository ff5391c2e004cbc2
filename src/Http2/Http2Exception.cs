namespace IpcBench.Http2;

/// <summary>Reports that the peer violated HTTP/2. The connection catches this exception itself and ends.</summary>
public sealed class Http2Exception(Http2Error error, string message) : Exception(message)
{
    public Http2Error Error { get; } = error;
}
