using Microsoft.AspNetCore.Http.Features;

namespace IpcBench.Server.BuiltIn;

/// <summary>Whether a request is gRPC at all.</summary>
internal static class RequestCheck
{
    /// <summary>The HTTP status of the refusal, or null for a gRPC request.</summary>
    public static int? Refuse(IHttpRequestFeature request)
    {
        if (!request.Method.Equals("POST", StringComparison.Ordinal))
            return StatusCodes.Status405MethodNotAllowed;
        var contentType = request.Headers.ContentType;
        return contentType.Count == 1 && IsGrpc(contentType[0]) ? null : StatusCodes.Status415UnsupportedMediaType;
    }

    /// <summary>A path of any length, as an error message may show it.</summary>
    public static string Shorten(string path)
    {
        const int shown = 100;
        return path.Length <= shown ? path : path[..shown] + "…";
    }

    // application/grpc, application/grpc+proto, either with parameters; not application/grpc-web and no other encoding of messages.
    private static bool IsGrpc(ReadOnlySpan<char> contentType)
    {
        const string grpc = "application/grpc", proto = "+proto";
        if (!contentType.StartsWith(grpc, StringComparison.OrdinalIgnoreCase))
            return false;
        var rest = contentType[grpc.Length..];
        if (rest.StartsWith(proto, StringComparison.OrdinalIgnoreCase))
            rest = rest[proto.Length..];
        return rest.IsEmpty || rest.TrimStart(' ') is [';', ..];
    }
}
