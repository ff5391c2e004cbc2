using System.Net.Sockets;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Hosting;
using IpcBench.Server.Options;
using IpcBench.Server.Services;
using IpcBench.Transports;
using Microsoft.AspNetCore.Connections;

namespace IpcBench.Server;

/// <summary>One Kestrel that serves every address of the options, with one gRPC stack behind all of them.</summary>
internal sealed class BenchServer : IAsyncDisposable
{
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(0.5);

    private readonly WebApplication host;
    private readonly IGrpcStack stack;
    private bool stopped;

    private BenchServer(WebApplication host, IGrpcStack stack, IReadOnlyList<ServerEndpoint> endpoints)
    {
        this.host = host;
        this.stack = stack;
        Endpoints = endpoints;
    }

    /// <summary>What is served, in the order of the options.</summary>
    public IReadOnlyList<ServerEndpoint> Endpoints { get; }

    /// <summary>Binds everything and starts.</summary>
    /// <param name="options">What to serve.</param>
    /// <param name="warnings">Receives what works but deserves a thought, a line each.</param>
    /// <exception cref="CannotListenException">An address cannot be served; nothing is left behind.</exception>
    /// <exception cref="FormatException">A test knob has a value that is none.</exception>
    public static async Task<BenchServer> StartAsync(ServerOptions options, TextWriter warnings)
    {
        var endpoints = new List<ServerEndpoint>();
        try
        {
            var roles = options.Listen.Select(address => (Address: address, IsEcho: false))
                .Concat(options.Echo.Select(address => (Address: address, IsEcho: true)));
            foreach (var (index, (address, isEcho)) in roles.Index())
                await BindAsync(endpoints, address, new EndpointRole(isEcho, options.Faults.For(index)), options, warnings);
            if (endpoints.Count == 0)
                throw new CannotListenException("nothing is left to listen on; name an address with --listen or --echo");
            return await StartAsync(options, endpoints, warnings);
        }
        catch
        {
            endpoints.ForEach(endpoint => endpoint.Dispose());
            throw;
        }
    }

    /// <summary>Lets running calls end for a moment, then cuts them off. Socket files are gone afterwards.</summary>
    public async Task StopAsync()
    {
        if (stopped)
            return;
        stopped = true;
        foreach (var endpoint in Endpoints)
            endpoint.RemoveFiles();
        using var grace = new CancellationTokenSource(Grace);
        await this.stack.StopAsync(this.host, grace.Token);
        RemoveSockets();
    }

    /// <summary>Closes the listeners and removes their files.</summary>
    public void RemoveSockets()
    {
        foreach (var endpoint in Endpoints)
            endpoint.Dispose();
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        await this.host.DisposeAsync();
    }

    private static async Task BindAsync(
        List<ServerEndpoint> endpoints, Address address, EndpointRole role, ServerOptions options, TextWriter warnings)
    {
        try
        {
            endpoints.Add(EndpointBinder.Bind(role, address, options));
        }
        catch (NoCertificateException e)
        {
            await warnings.WriteLineAsync($"{address} is not served: no certificate could be made here ({e.Message})");
            return;
        }
        var host = (address as Address.Tcp)?.Host ?? (address as Address.Tls)?.Host;
        if (host is null || TcpListen.IsLoopback(host))
            return;
        await warnings.WriteLineAsync(
            $"warning: {endpoints[^1].Address} can be reached from other machines, and nothing here asks who calls");
    }

    private static async Task<BenchServer> StartAsync(
        ServerOptions options, IReadOnlyList<ServerEndpoint> endpoints, TextWriter warnings)
    {
        var stack = Stacks.Create(options.Stack ?? Stacks.Default);
        var maxConnections = KestrelLimits.MaxConnections();
        var services = new BenchServices(options, endpoints, () => Describer.Describe(stack, options, maxConnections, endpoints));
        var builder = KestrelHost.CreateBuilder(options, endpoints, maxConnections, warnings);
        stack.Configure(builder, services);
        var host = builder.Build();
        try
        {
            await stack.StartAsync(host, services, CancellationToken.None);
            return new BenchServer(host, stack, endpoints);
        }
        catch (Exception e) when (e is IOException or SocketException or AddressInUseException)
        {
            await host.DisposeAsync();
            throw new CannotListenException(
                $"cannot listen: {e.Message.TrimEnd('.')}; stop the other program or choose another address with --listen", e);
        }
    }
}
