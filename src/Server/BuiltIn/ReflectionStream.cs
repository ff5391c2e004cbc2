using System.Buffers;
using Google.Protobuf;
using IpcBench.Http2;
using IpcBench.Protocol.Reflection.V1;
using IpcBench.Server.Services;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace IpcBench.Server.BuiltIn;

/// <summary>Serves server reflection for every stack: a stream of requests, each answered before the next is read.</summary>
internal static class ReflectionStream
{
    public const string Path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

    // Kestrel's minimum data rate of a request body is switched off, because a client may pause between two requests.
    // Instead, the stream is ended after this time.
    private static readonly TimeSpan Longest = TimeSpan.FromMinutes(5);

    /// <summary>Answers requests until the client half-closes the stream.</summary>
    public static async Task RunAsync(IFeatureCollection features)
    {
        features.GetRequiredFeature<IHttpResponseFeature>().Headers.ContentType = ResponseWriter.ContentType;
        if (features.Get<IHttpMinRequestBodyDataRateFeature>() is { } rate)
            rate.MinDataRate = null;
        using var limit = new CancellationTokenSource(Longest);
        var end = await AnswerAsync(features, limit.Token);
        ResponseWriter.End(features, end.Code, end.Message);
    }

    private static async Task<UnaryResult> AnswerAsync(IFeatureCollection features, CancellationToken limit)
    {
        var body = features.GetRequiredFeature<IRequestBodyPipeFeature>().Reader;
        var output = features.GetRequiredFeature<IHttpResponseBodyFeature>().Writer;
        try
        {
            while (true)
            {
                var read = await body.ReadAsync(limit);
                var (buffer, unflushed) = (read.Buffer, 0);
                while (!buffer.IsEmpty)
                {
                    var state = RequestReader.Next(ref buffer, read.IsCompleted, out var message, out var failure);
                    if (state == ReadState.Failed)
                        return failure;
                    if (state == ReadState.NeedsMore)
                        break;
                    // An answer can be a hundred times as large as its request. So the call flushes before it answers further
                    // requests. The flush waits while the client does not read.
                    if (unflushed > MessageCall.MostUnflushed)
                    {
                        if ((await output.FlushAsync(limit)).IsCompleted)
                            return UnaryResult.Ended;
                        unflushed = 0;
                    }
                    var answer = ReplyFrame.From(ServiceCatalogue.Answer(ServerReflectionRequest.Parser.ParseFrom(message))).Head;
                    output.Write(answer.Span);
                    unflushed += answer.Length;
                }
                body.AdvanceTo(buffer.Start, buffer.End);
                if (read.IsCompleted || (await output.FlushAsync(limit)).IsCompleted)
                    return UnaryResult.Ended;
            }
        }
        catch (InvalidProtocolBufferException e)
        {
            return UnaryResult.NoMessage(e);
        }
        catch (OperationCanceledException) when (limit.IsCancellationRequested)
        {
            return UnaryResult.Fail(GrpcStatusCode.DeadlineExceeded, $"the stream was open for {Longest.TotalMinutes:0} minutes");
        }
    }
}

/// <summary>Serves reflection through ASP.NET Core's routing, for stacks that use routing.</summary>
internal static class ReflectionRoute
{
    public static void Map(IEndpointRouteBuilder routes) => routes.MapPost(ReflectionStream.Path, context =>
    {
        if (RequestCheck.Refuse(context.Features.GetRequiredFeature<IHttpRequestFeature>()) is not { } httpStatus)
            return ReflectionStream.RunAsync(context.Features);
        context.Response.StatusCode = httpStatus;
        return Task.CompletedTask;
    });
}
