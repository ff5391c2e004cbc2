using Grpc.Core;
using IpcBench.Protocol.V1;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Services;
using IpcBench.Server.Trials;
using Microsoft.AspNetCore.Http.Features;

namespace IpcBench.Server.GrpcDotnet;

/// <summary>The Bench service on the generated base class: one instance for all calls, replies made once.</summary>
internal sealed class BenchService(BenchServices services) : Bench.BenchBase
{
    private readonly ReplyMessages _replies = new();

    public override Task<DownloadReply> Download(DownloadRequest request, ServerCallContext context)
    {
        if (!services.Accepts(request.Size, out var refusal))
            throw new RpcException(new Status(StatusCode.InvalidArgument, refusal));
        var endpoint = context.GetHttpContext().Features.GetRequiredFeature<ServerEndpoint>();
        if (endpoint.Trial != Trial.None)
            return OnTrialAsync(request, context, endpoint);
        endpoint.Counters.CallAnswered();
        return _replies.For((int)request.Size);
    }

    private async Task<DownloadReply> OnTrialAsync(DownloadRequest request, ServerCallContext context, ServerEndpoint endpoint)
    {
        await endpoint.HoldAsync();
        // Set, not thrown: the whole payload comes first.
        if (endpoint.Trial.Fault == Fault.Status)
            context.Status = new Status(StatusCode.Internal, "");
        else
            endpoint.Counters.CallAnswered();
        var missing = endpoint.Trial.Fault == Fault.Short && request.Size > 0 ? 1 : 0;
        return await _replies.For((int)request.Size - missing);
    }
}
