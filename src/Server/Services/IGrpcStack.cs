namespace IpcBench.Server.Services;

/// <summary>A gRPC implementation on Kestrel: it maps the services onto the host that has the endpoints already.</summary>
internal interface IGrpcStack
{
    /// <summary>The stack of grpc-dotnet, which is only in builds whose package sources had it.</summary>
    const string GrpcDotnet = "grpc-dotnet";

    /// <summary>As <c>--stack</c> takes it and reports show it.</summary>
    string Name { get; }

    string Version { get; }

    /// <summary>Adds what the stack needs to the host before it is built.</summary>
    void Configure(WebApplicationBuilder builder, BenchServices services);

    /// <summary>Starts Kestrel with this stack behind it.</summary>
    Task StartAsync(WebApplication host, BenchServices services, CancellationToken cancellation);

    /// <summary>Stops Kestrel; what still runs when <paramref name="cancellation"/> is signalled is cut off.</summary>
    Task StopAsync(WebApplication host, CancellationToken cancellation);
}
