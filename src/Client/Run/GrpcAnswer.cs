using IpcBench.Http2;

namespace IpcBench.Client.Run;

/// <summary>The result of one call.</summary>
/// <param name="HttpStatus">The HTTP status. gRPC uses only 200.</param>
/// <param name="Status">
/// The value of grpc-status. Null when grpc-status is missing or not a number. Also null when grpc-status is OK but the
/// content type of the reply is not that of gRPC.
/// </param>
/// <param name="StatusMessage">The decoded grpc-message. Empty when there is none.</param>
/// <param name="Message">The first message. Null when it is missing, incomplete or compressed.</param>
internal sealed record GrpcAnswer(int HttpStatus, GrpcStatusCode? Status, string StatusMessage, ReadOnlyMemory<byte>? Message)
{
    /// <summary>The content type of a reply that is no gRPC. Null for gRPC and for a reply without a content type.</summary>
    public string? OtherType { get; init; }

    /// <summary>The status as text, such as <c>NOT_FOUND: no such cart</c>, or a description of a reply without status.</summary>
    public string StatusText => (HttpStatus, Status) switch
    {
        (not 200, _) => $"HTTP status {HttpStatus}",
        (_, null) => OtherType is { } type ? $"content type {type}" : "no status",
        (_, { } code) when Enum.IsDefined(code) => GrpcStatus.Name(code) + (StatusMessage.Length > 0 ? $": {StatusMessage}" : ""),
        (_, { } code) => $"status {(int)code}",
    };
}
