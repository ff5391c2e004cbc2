using System.Reflection;
using Grpc.AspNetCore.Server;
using IpcBench.Server.BuiltIn;
using IpcBench.Server.Bytes;
using IpcBench.Server.Services;

namespace IpcBench.Server.GrpcDotnet;

/// <summary>gRPC as in ASP.NET Core services: Grpc.AspNetCore.Server, with one object per service and without logging.</summary>
internal sealed class GrpcDotnetStack : IGrpcStack
{
    public string Name => IGrpcStack.GrpcDotnet;

    /// <summary>The version of the package, without its commit.</summary>
    public string Version { get; } = typeof(GrpcServiceOptions).Assembly
        .GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion.Split('+')[0] ?? "unknown";

    public void Configure(WebApplicationBuilder builder, BenchServices services)
    {
        // The host's default lifetime would also react to signals, but this program handles signals itself.
        builder.Services.AddSingleton<IHostLifetime, NoLifetime>();
        builder.Services.AddSingleton(new BenchService(services)).AddSingleton(new ControlService(services));
        builder.Services.AddGrpc(grpc =>
        {
            grpc.IgnoreUnknownServices = true;
            // The limit is the size of the largest payload plus some room for the other fields of a message.
            grpc.MaxReceiveMessageSize = (int)Math.Min(int.MaxValue, services.MaxSize + 1024L);
        });
    }

    public Task StartAsync(WebApplication host, BenchServices services, CancellationToken cancellation)
    {
        host.MapGrpcService<BenchService>().Add(method => method.RequestDelegate = ReplyRoom.Around(method.RequestDelegate!));
        host.MapGrpcService<ControlService>();
        BytesRoute.Map(host, services);
        ReflectionRoute.Map(host);
        return host.StartAsync(cancellation);
    }

    public Task StopAsync(WebApplication host, CancellationToken cancellation) => host.StopAsync(cancellation);
}

/// <summary>
/// A lifetime without its own reaction to signals: the host starts and stops only when this program calls StartAsync or
/// StopAsync.
/// </summary>
internal sealed class NoLifetime : IHostLifetime
{
    public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
