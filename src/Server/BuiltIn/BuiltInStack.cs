using IpcBench.Server.Services;
using Microsoft.AspNetCore.Hosting.Server;

namespace IpcBench.Server.BuiltIn;

/// <summary>gRPC spoken directly on Kestrel's HTTP/2 streams: no middleware, no routing, no context object per call.</summary>
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
