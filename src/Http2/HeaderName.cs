namespace IpcBench.Http2;

/// <summary>The response fields a gRPC client looks at; all others are one.</summary>
public enum HeaderName : byte
{
    Other,
    Status,
    ContentType,
    GrpcStatus,

    /// <summary>Fields that HTTP/2 forbids in a response: they make it malformed (RFC 9113, 8.2 and 8.3).</summary>
    Forbidden,
}
