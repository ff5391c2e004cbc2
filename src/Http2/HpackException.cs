namespace IpcBench.Http2;

/// <summary>
/// Reports that a field block cannot be decoded. The connection must then end with COMPRESSION_ERROR (RFC 9113, 4.3).
/// </summary>
public sealed class HpackException(string message) : Exception(message);
