using System.Net.Sockets;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Hosting;
using IpcBench.Server.JsonRpc;
using IpcBench.Server.Options;
using IpcBench.Server.Services;
using IpcBench.Transports;
using IpcBench.Transports.Loop;
using Microsoft.AspNetCore.Connections;

namespace IpcBench.Server;

/// <summary>
/// One Kestrel server for all addresses of the options, with one gRPC stack. Depending on the options, an event loop or
/// tasks serve the raw echoes without Kestrel.
/// </summary>
internal sealed class BenchServer : IAsyncDisposable
{
    private static readonly TimeSpan Grace = TimeSpan.FromSeconds(0.5);

    private readonly WebApplication? host;
    private readonly IGrpcStack stack;
    private readonly IDisposable? echo;
    private bool stopped;

    private BenchServer(WebApplication? host, IGrpcStack stack, IDisposable? echo, IReadOnlyList<ServerEndpoint> endpoints)
    {
        (this.host, this.stack, this.echo) = (host, stack, echo);
        Endpoints = endpoints;
    }

    /// <summary>The endpoints: first those of <c>--listen</c>, then those of <c>--echo</c>.</summary>
    public IReadOnlyList<ServerEndpoint> Endpoints { get; }

    /// <summary>Binds all addresses and starts.</summary>
    /// <exception cref="CannotListenException">An address cannot be served. All bound addresses are released.</exception>
    /// <exception cref="FormatException">The value of <c>--work</c> or of an option for tests is invalid.</exception>
    public static async Task<BenchServer> StartAsync(ServerOptions options, TextWriter warnings)
    {
        options.Behaviors.Check(options.Listen.Count + options.Echo.Count);
        var endpoints = new List<ServerEndpoint>();
        try
        {
            var roles = options.Listen.Select(address => (Address: address, IsEcho: false))
                .Concat(options.Echo.Select(address => (Address: address, IsEcho: true)));
            var jsonRpc = options.JsonRpc ? new JsonRpcHandler(options.MaxSize, Describer.Version) : null;
            // A child serves one address. The index still counts all addresses, as the options about behavior do.
            foreach (var (index, (address, isEcho)) in roles.Index())
            {
                if (options.Child is null || options.Child == address)
                {
                    var role = RoleOf(index, address, isEcho, options) with { JsonRpc = jsonRpc };
                    await BindAsync(endpoints, address, role, options, warnings);
                }
            }
            if (endpoints.Count == 0)
                throw new CannotListenException("the server has no address to listen on: name an address with --listen or --echo");
            return await StartAsync(options, endpoints, warnings);
        }
        catch
        {
            endpoints.ForEach(endpoint => endpoint.Dispose());
            throw;
        }
    }

    /// <summary>Removes the socket files, gives running calls half a second to end, and then aborts them.</summary>
    public async Task StopAsync()
    {
        if (stopped)
            return;
        stopped = true;
        foreach (var endpoint in Endpoints)
            endpoint.RemoveFiles();
        using var grace = new CancellationTokenSource(Grace);
        echo?.Dispose();
        if (host is not null)
            await stack.StopAsync(host, grace.Token);
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
        if (host is not null)
            await host.DisposeAsync();
    }

    private static EndpointRole RoleOf(int index, Address address, bool isEcho, ServerOptions options)
    {
        var isApart = options.Sockets switch
        {
            SocketEngine.DotNet => false,
            SocketEngine.Bare => address is not Address.Pipe || !OperatingSystem.IsWindows(), // a pipe of Windows is no socket
            _ => EventLoop.IsSupported || address is Address.Child,
        };
        // With TLS, Kestrel does the encryption, whichever sockets carry the connection. So TLS always needs Kestrel.
        return new EndpointRole(isEcho, options.Behaviors.For(index), isEcho && isApart && address is not Address.Tls);
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
            await warnings.WriteLineAsync($"{address} is not served: this system could not make a certificate ({e.Message})");
            return;
        }
        var host = (address as Address.Tcp)?.Host ?? (address as Address.Tls)?.Host;
        if (host is null || TcpListen.IsLoopback(host, role.At(address)))
            return;
        await warnings.WriteLineAsync(
            $"warning: {endpoints[^1].Address} can be reached from other machines, and this server has no access control");
    }

    private static async Task<BenchServer> StartAsync(
        ServerOptions options, IReadOnlyList<ServerEndpoint> endpoints, TextWriter warnings)
    {
        var stack = Stacks.Create(options.Stack ?? Stacks.Default);
        var maxConnections = KestrelLimits.MaxConnections();
        var services = new BenchServices(options, endpoints, () => Describer.Describe(stack, options, maxConnections, endpoints));
        var gate = new AcceptGate(KestrelLimits.MaxConnections, warnings);
        // Kestrel without an endpoint would choose an address itself. So Kestrel is not started when it has no endpoint
        // to serve.
        if (endpoints.All(endpoint => endpoint.IsWithoutKestrel))
            return new BenchServer(null, stack, StartEcho(options, endpoints, gate), endpoints);
        var builder = KestrelHost.CreateBuilder(options, endpoints, maxConnections, gate);
        stack.Configure(builder, services);
        var host = builder.Build();
        try
        {
            await stack.StartAsync(host, services, CancellationToken.None);
            return new BenchServer(host, stack, StartEcho(options, endpoints, gate), endpoints);
        }
        catch (Exception e) when (e is IOException or SocketException or AddressInUseException)
        {
            await host.DisposeAsync();
            throw new CannotListenException(
                $"cannot listen: {e.Message.TrimEnd('.')}: choose another address with --listen, "
                + "or stop the program that uses this address", e);
        }
    }

    private static IDisposable? StartEcho(ServerOptions options, IReadOnlyList<ServerEndpoint> endpoints, AcceptGate gate)
    {
        var apart = endpoints.Where(endpoint => endpoint.IsWithoutKestrel).ToList();
        if (apart.Count == 0)
            return null;
        if (options.Sockets == SocketEngine.Bare)
            return BareEchoHost.Start(apart, options, gate);
        return EventLoop.IsSupported ? LoopEchoHost.Start(apart, options, gate) : null;
    }
}
