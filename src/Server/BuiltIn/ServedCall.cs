using System.IO.Pipelines;
using Google.Protobuf;
using IpcBench.Http2;
using IpcBench.Server.Behaviors;
using IpcBench.Server.Bytes;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Services;
using Microsoft.AspNetCore.Http.Features;

namespace IpcBench.Server.BuiltIn;

/// <summary>Serves the calls of one of Kestrel's pooled streams, one after the other.</summary>
internal sealed class ServedCall(IFeatureCollection features, UnaryMethods methods, BenchServices services)
{
    private readonly ServerEndpoint endpoint = features.GetRequiredFeature<ServerEndpoint>();

    public Task RunAsync()
    {
        var request = features.GetRequiredFeature<IHttpRequestFeature>();
        if (BytesPath.IsBytes(request.Path))
            return BytesAnswer.RunAsync(features, services);
        if (RequestCheck.Refuse(request) is { } httpStatus)
        {
            features.GetRequiredFeature<IHttpResponseFeature>().StatusCode = httpStatus;
            return Task.CompletedTask;
        }
        if (methods.Find(request.Path) is not { } method)
        {
            if (request.Path == ReflectionStream.Path)
                return ReflectionStream.RunAsync(features);
            if (MessageCall.For(request.Path, features, services, endpoint) is { } call)
                return call.RunAsync();
            ResponseWriter.Fail(features, GrpcStatusCode.Unimplemented, $"this server has no method {RequestCheck.Shorten(request.Path)}");
            return Task.CompletedTask;
        }
        var body = features.GetRequiredFeature<IRequestBodyPipeFeature>().Reader;
        // A small request has usually arrived as a whole by now. The answer then needs no async method, which would allocate.
        return body.TryRead(out var read) && TryAnswer(method, body, read, out var result)
            ? FinishAsync(method, result)
            : ReadOnAsync(method, body);
    }

    private async Task ReadOnAsync(UnaryMethod method, PipeReader body)
    {
        UnaryResult result;
        while (!TryAnswer(method, body, await body.ReadAsync(), out result))
        {
        }
        await FinishAsync(method, result);
    }

    private bool TryAnswer(UnaryMethod method, PipeReader body, in ReadResult read, out UnaryResult result)
    {
        var buffer = read.Buffer;
        var state = RequestReader.Read(buffer, read.IsCompleted, out var message, out result);
        if (state == ReadState.NeedsMore)
        {
            body.AdvanceTo(buffer.Start, buffer.End);
            return false;
        }
        try
        {
            if (state == ReadState.Complete)
                result = method.Answer(message, endpoint);
        }
        catch (InvalidProtocolBufferException e)
        {
            result = UnaryResult.NoMessage(e);
        }
        body.AdvanceTo(buffer.End);
        return true;
    }

    private Task FinishAsync(UnaryMethod method, in UnaryResult result)
    {
        if (result.Reply is not { } reply)
        {
            ResponseWriter.Fail(features, result.Code, result.Message);
            return Task.CompletedTask;
        }
        if (method.IsBench && endpoint.Behavior != EndpointBehavior.None)
            return WriteWithBehaviorAsync(reply);
        return WriteAsync(method, reply);
    }

    private async Task WriteWithBehaviorAsync(ReplyFrame reply)
    {
        await endpoint.Behavior.HoldAsync();
        var written = await ResponseWriter.WriteAsync(features, reply, services.Budget);
        var status = endpoint.Behavior.EndsWithError ? GrpcStatusCode.Internal : GrpcStatusCode.Ok;
        if (written)
            ResponseWriter.End(features, status);
        if (written && status == GrpcStatusCode.Ok)
            endpoint.Counters.CallAnswered();
    }

    private Task WriteAsync(UnaryMethod method, ReplyFrame reply)
    {
        var writing = ResponseWriter.WriteAsync(features, reply, services.Budget);
        if (!writing.IsCompletedSuccessfully)
            return EndAsync(method, writing);
        if (writing.Result)
            End(method);
        return Task.CompletedTask;
    }

    private async Task EndAsync(UnaryMethod method, ValueTask<bool> writing)
    {
        if (await writing)
            End(method);
    }

    private void End(UnaryMethod method)
    {
        ResponseWriter.End(features, GrpcStatusCode.Ok);
        if (method.IsBench)
            endpoint.Counters.CallAnswered();
    }
}
