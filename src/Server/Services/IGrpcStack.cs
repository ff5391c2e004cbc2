namespace IpcBench.Server.Services;

/// <summary>A gRPC implementation on Kestrel. It adds its services to a host whose endpoints are already configured.</summary>
internal interface IGrpcStack
{
    /// <summary>The name of the stack of grpc-dotnet (Grpc.AspNetCore.Server).</summary>
    const string GrpcDotnet = "grpc-dotnet";

    /// <summary>The name for <c>--stack</c> and for reports.</summary>
    string Name { get; }

    string Version { get; }

    /// <summary>Configures the host before it is built.</summary>
    void Configure(WebApplicationBuilder builder, BenchServices services);

    Task StartAsync(WebApplication host, BenchServices services, CancellationToken cancellation);

    /// <summary>Stops Kestrel. Calls that still run when <paramref name="cancellation"/> is signalled are aborted.</summary>
    Task StopAsync(WebApplication host, CancellationToken cancellation);
}
