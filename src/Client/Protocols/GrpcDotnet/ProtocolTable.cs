using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.GrpcDotnet;

namespace IpcBench.Client.Protocols;

internal static partial class ProtocolTable
{
    static partial void AddGrpcDotnet(LoadOptions options, ref IConnectionFactory? factory) => factory = new GrpcDotnetFactory(options);

    static partial void AddGrpcDotnetVersion(ref string? version) => version = GrpcDotnetFactory.Version;
}
