using IpcBench.Server.GrpcDotnet;
using IpcBench.Server.Services;

namespace IpcBench.Server;

internal static partial class Stacks
{
    // First, and so the default: it is what the servers of this field run.
    static partial void AddGrpcDotnet(List<(string Name, Func<IGrpcStack> Create)> stacks) =>
        stacks.Insert(0, (IGrpcStack.GrpcDotnet, () => new GrpcDotnetStack()));
}
