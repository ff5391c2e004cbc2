using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using IpcBench.Protocol;
using IpcBench.Server.Services;
using Microsoft.AspNetCore.Http.Features;

namespace IpcBench.Server.BuiltIn;

/// <summary>Writes a unary response: headers, one frame, trailers.</summary>
internal static class ResponseWriter
{
    private const string ContentType = "application/grpc";

    /// <summary>A response without a message: the status travels in the headers ("trailers-only").</summary>
    public static void Fail(IFeatureCollection features, GrpcStatusCode code, string message)
    {
        var headers = features.GetRequiredFeature<IHttpResponseFeature>().Headers;
        headers.ContentType = ContentType;
        headers.GrpcStatus = GrpcStatus.Text(code);
        headers.GrpcMessage = GrpcStatus.EncodeMessage(message);
        if (code == GrpcStatusCode.Unimplemented)
            headers.GrpcAcceptEncoding = "identity";
    }

    /// <summary>Writes the frame; false when the client has given the call up meanwhile.</summary>
    public static ValueTask<bool> WriteAsync(IFeatureCollection features, ReplyFrame reply, int chunk)
    {
        features.GetRequiredFeature<IHttpResponseFeature>().Headers.ContentType = ContentType;
        var writer = features.GetRequiredFeature<IHttpResponseBodyFeature>().Writer;
        if (reply.Length > chunk)
            return WriteChunksAsync(writer, reply, chunk);
        // Not flushed: Kestrel then sends headers, frame and trailers together.
        writer.Write(reply.Head.Span);
        WritePattern(writer, 0, reply.PatternBytes);
        return ValueTask.FromResult(true);
    }

    /// <summary>The trailers of a response whose frame is written.</summary>
    public static void End(IFeatureCollection features, GrpcStatusCode code) =>
        features.GetRequiredFeature<IHttpResponseTrailersFeature>().Trailers.GrpcStatus = GrpcStatus.Text(code);

    // Each flush returns when the connection has taken the chunk: all that waits in memory for a client that does not read.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private static async ValueTask<bool> WriteChunksAsync(PipeWriter writer, ReplyFrame reply, int chunk)
    {
        var head = reply.Head;
        for (; head.Length > chunk; head = head[chunk..])
        {
            writer.Write(head.Span[..chunk]);
            if ((await writer.FlushAsync()).IsCompleted)
                return false;
        }
        writer.Write(head.Span);
        for (var at = 0; at < reply.PatternBytes; at += chunk)
        {
            if (at > 0 && (await writer.FlushAsync()).IsCompleted)
                return false;
            WritePattern(writer, at, Math.Min(chunk, reply.PatternBytes - at));
        }
        return true;
    }

    private static void WritePattern(PipeWriter writer, int from, int count)
    {
        while (count > 0)
        {
            var part = PayloadPattern.Block[(from % PayloadPattern.BlockBytes)..];
            part = part[..Math.Min(part.Length, count)];
            writer.Write(part);
            from += part.Length;
            count -= part.Length;
        }
    }
}
