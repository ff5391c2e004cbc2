using IpcBench.Server.Services;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Abstractions;
using Microsoft.AspNetCore.Http.Features;

namespace IpcBench.Server.BuiltIn;

/// <summary>gRPC directly on Kestrel's HTTP/2 streams, without middleware, routing or a context object per call.</summary>
internal sealed class BuiltInStack : IGrpcStack
{
    public const string StackName = "built-in";

    public string Name => StackName;

    public string Version => Describer.Version;

    public void Configure(WebApplicationBuilder builder, BenchServices services)
    {
    }

    public Task StartAsync(WebApplication host, BenchServices services, CancellationToken cancellation) =>
        host.Services.GetRequiredService<IServer>().StartAsync(new GrpcApplication(new UnaryMethods(services), services), cancellation);

    public Task StopAsync(WebApplication host, CancellationToken cancellation) =>
        host.Services.GetRequiredService<IServer>().StopAsync(cancellation);
}

/// <summary>The application that Kestrel calls for every HTTP/2 stream.</summary>
internal sealed class GrpcApplication(UnaryMethods methods, BenchServices services) : IHttpApplication<ServedCall>
{
    // Kestrel pools the streams of a connection, and each stream keeps its ServedCall. So a steady load creates no objects.
    public ServedCall CreateContext(IFeatureCollection features) => features is IHostContextContainer<ServedCall> container
        ? container.HostContext ??= new ServedCall(features, methods, services)
        : new ServedCall(features, methods, services);

    public Task ProcessRequestAsync(ServedCall call) => call.RunAsync();

    public void DisposeContext(ServedCall call, Exception? exception)
    {
    }
}
