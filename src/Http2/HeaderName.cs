namespace IpcBench.Http2;

/// <summary>The response fields that a gRPC client reads. All other fields are <see cref="Other"/>.</summary>
public enum HeaderName : byte
{
    Other,
    Status,
    ContentType,
    GrpcStatus,
    GrpcMessage,

    /// <summary>Fields that make a response malformed (RFC 9113, 8.2 and 8.3).</summary>
    Forbidden,
}
