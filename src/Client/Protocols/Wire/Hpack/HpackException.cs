namespace IpcBench.Client.Protocols.Wire.Hpack;

/// <summary>A header block that cannot be decoded: the connection is lost (RFC 7541, 2.3.3 and elsewhere: COMPRESSION_ERROR).</summary>
internal sealed class HpackException(string message) : Exception(message);
