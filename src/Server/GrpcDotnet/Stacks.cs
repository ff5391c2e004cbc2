using IpcBench.Server.GrpcDotnet;
using IpcBench.Server.Services;

namespace IpcBench.Server;

internal static partial class Stacks
{
    // First, and so the default: most gRPC servers on .NET use this stack.
    static partial void AddGrpcDotnet(List<(string Name, Func<IGrpcStack> Create)> stacks) =>
        stacks.Insert(0, (IGrpcStack.GrpcDotnet, () => new GrpcDotnetStack()));
}
