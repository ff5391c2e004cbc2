using IpcBench.Server.Services;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Abstractions;
using Microsoft.AspNetCore.Http.Features;

namespace IpcBench.Server.BuiltIn;

/// <summary>What Kestrel calls for every HTTP/2 stream.</summary>
internal sealed class GrpcApplication(UnaryMethods methods, BenchServices services) : IHttpApplication<GrpcCall>
{
    // Kestrel pools the streams of a connection and lets each keep its application's object, so a steady load makes none.
    public GrpcCall CreateContext(IFeatureCollection features) => features is IHostContextContainer<GrpcCall> container
        ? container.HostContext ??= new GrpcCall(features, methods, services)
        : new GrpcCall(features, methods, services);

    public Task ProcessRequestAsync(GrpcCall call) => call.RunAsync();

    public void DisposeContext(GrpcCall call, Exception? exception)
    {
    }
}
