namespace IpcBench.Http2;

/// <summary>A header block that cannot be decoded: the connection is lost (RFC 7541, 2.3.3 and elsewhere: COMPRESSION_ERROR).</summary>
public sealed class HpackException(string message) : Exception(message);
