using Microsoft.AspNetCore.Http.Features;

namespace IpcBench.Server.BuiltIn;

/// <summary>Checks that a request is gRPC.</summary>
internal static class RequestCheck
{
    /// <summary>Returns the HTTP status of the rejection. Null for a gRPC request.</summary>
    public static int? Refuse(IHttpRequestFeature request)
    {
        if (!request.Method.Equals("POST", StringComparison.Ordinal))
            return StatusCodes.Status405MethodNotAllowed;
        var contentType = request.Headers.ContentType;
        return contentType.Count == 1 && IsGrpc(contentType[0]) ? null : StatusCodes.Status415UnsupportedMediaType;
    }

    public static string Shorten(string path)
    {
        const int shown = 100;
        return path.Length <= shown ? path : path[..shown] + "…";
    }

    // Accepts application/grpc and application/grpc+proto, with or without parameters. Rejects application/grpc-web and other encodings.
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
