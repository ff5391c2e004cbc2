using IpcBench.Client.Callers.GrpcDotnet;
using IpcBench.Client.Engine;

namespace IpcBench.Client.Callers;

internal static partial class Catalogue
{
    static partial void AddGrpcDotnet(LoadOptions options, ref IConnectionFactory? factory) => factory = new GrpcDotnetFactory(options);

    static partial void AddGrpcDotnetVersion(ref string? version) => version = GrpcDotnetFactory.Version;
}
