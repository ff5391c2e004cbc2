namespace IpcBench.Http2;

/// <summary>The peer broke HTTP/2 so that the connection cannot go on; never leaves the connection.</summary>
public sealed class Http2Exception(Http2Error error, string message) : Exception(message)
{
    public Http2Error Error { get; } = error;
}
