using System.Reflection;
using Grpc.Net.Client;
using IpcBench.Client.Engine;
using IpcBench.Transports;

namespace IpcBench.Client.Protocols.GrpcDotnet;

/// <summary>Makes connections of Grpc.Net.Client, as an application has it: a channel and a handler for each, so that each is one connection.</summary>
internal sealed class GrpcDotnetFactory(LoadOptions options) : IConnectionFactory
{
    // The handler adds TLS itself, or it would call the scheme http and a server might refuse that.
    private readonly Connector connector = Connector.For(options.Address is Address.Tls tls ? new Address.Tcp(tls.Host, tls.Port) : options.Address, options.Connector);

    /// <summary>The version of the package, without its commit.</summary>
    public static string Version { get; } = typeof(GrpcChannel).Assembly
        .GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion.Split('+')[0] ?? "unknown";

    public long ConnectRetries => connector.Retries;

    public bool UsesLoops => false;

    public IConnection Create(Scheduler scheduler) => new GrpcDotnetConnection(scheduler, options, connector);
}
