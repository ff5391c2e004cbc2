using Grpc.Core;
using IpcBench.Protocol.V1;
using IpcBench.Server.Services;

namespace IpcBench.Server.GrpcDotnet;

/// <summary>The Control service on the generated base class.</summary>
internal sealed class ControlService(BenchServices services) : Control.ControlBase
{
    public override Task<DescribeReply> Describe(DescribeRequest request, ServerCallContext context) => Task.FromResult(services.Describe());

    public override Task<UsageReply> Usage(UsageRequest request, ServerCallContext context) => Task.FromResult(services.Usage());
}
