using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using IpcBench.Http2;
using IpcBench.Protocol;
using Microsoft.AspNetCore.Http.Features;

namespace IpcBench.Server.Services;

/// <summary>Writes a unary response: headers, one frame, trailers.</summary>
internal static class ResponseWriter
{
    public const string ContentType = "application/grpc";

    /// <summary>Writes a response without a message, whose headers carry the status ("trailers-only").</summary>
    public static void Fail(IFeatureCollection features, GrpcStatusCode code, string message)
    {
        var headers = features.GetRequiredFeature<IHttpResponseFeature>().Headers;
        headers.ContentType = ContentType;
        headers.GrpcStatus = GrpcStatus.Text(code);
        headers.GrpcMessage = GrpcStatus.EncodeMessage(message);
        if (code == GrpcStatusCode.Unimplemented)
            headers.GrpcAcceptEncoding = "identity";
    }

    /// <summary>
    /// Writes the frame. Returns false when the client cancelled the call before all bytes were written.
    /// </summary>
    public static ValueTask<bool> WriteAsync(
        IFeatureCollection features, ReplyFrame reply, WriteBudget budget, string contentType = ContentType)
    {
        features.GetRequiredFeature<IHttpResponseFeature>().Headers.ContentType = contentType;
        var writer = features.GetRequiredFeature<IHttpResponseBodyFeature>().Writer;
        if (reply.Length > WriteBudget.Free)
            return WritePartsAsync(writer, reply, budget);
        // Without a flush, Kestrel sends headers, frame and trailers together.
        Write(writer, reply, 0, (int)reply.Length);
        return ValueTask.FromResult(true);
    }

    /// <summary>Writes the trailers of a response after its messages.</summary>
    public static void End(IFeatureCollection features, GrpcStatusCode code, string message = "")
    {
        var trailers = features.GetRequiredFeature<IHttpResponseTrailersFeature>().Trailers;
        trailers.GrpcStatus = GrpcStatus.Text(code);
        if (message.Length > 0)
            trailers.GrpcMessage = GrpcStatus.EncodeMessage(message);
    }

    // FlushAsync ends when the connection has taken the part. So a slow client keeps only a part of its reply in memory.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    internal static async ValueTask<bool> WritePartsAsync(PipeWriter writer, ReplyFrame reply, WriteBudget budget)
    {
        var at = 0L;
        while (reply.Length - at > WriteBudget.Free)
        {
            var wanted = (int)Math.Min(budget.Part, reply.Length - at - WriteBudget.Free);
            var part = budget.Take(wanted);
            try
            {
                Write(writer, reply, at, part);
                if ((await writer.FlushAsync()).IsCompleted)
                    return false;
            }
            finally
            {
                budget.Return(part);
            }
            at += part;
        }
        Write(writer, reply, at, (int)(reply.Length - at));
        return true;
    }

    private static void Write(PipeWriter writer, ReplyFrame reply, long from, int count)
    {
        if (from < reply.Head.Length)
        {
            var part = reply.Head.Span[(int)from..];
            part = part[..Math.Min(part.Length, count)];
            writer.Write(part);
            from += part.Length;
            count -= part.Length;
        }
        while (count > 0)
        {
            var part = PayloadPattern.Block[(int)((from - reply.Head.Length) % PayloadPattern.BlockBytes)..];
            part = part[..Math.Min(part.Length, count)];
            writer.Write(part);
            from += part.Length;
            count -= part.Length;
        }
    }
}
