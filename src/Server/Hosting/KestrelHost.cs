using System.IO.Pipes;
using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using IpcBench.LoopSockets;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Options;
using IpcBench.Transports.Loop;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Transport.NamedPipes;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;

namespace IpcBench.Server.Hosting;

/// <summary>Makes a host with Kestrel on the given endpoints, without configuration files, logging or middleware.</summary>
internal static class KestrelHost
{
    public static WebApplicationBuilder CreateBuilder(
        ServerOptions options, IReadOnlyList<ServerEndpoint> endpoints, long maxConnections, AcceptGate gate)
    {
        // The empty builder reads no appsettings.json and no ASPNETCORE_URLS. So only the command line says where this server listens.
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore().UseKestrelHttpsConfiguration();
        builder.Services.Configure<KestrelServerOptions>(kestrel =>
        {
            KestrelLimits.Apply(kestrel, options, maxConnections);
            foreach (var endpoint in endpoints)
                endpoint.AddTo(kestrel);
        });
        builder.Services.Configure<SocketTransportOptions>(sockets => Configure(sockets, options, endpoints));
        builder.Services.Configure<LoopTransportOptions>(sockets => Configure(sockets, options, endpoints));
        // The transport for sockets is Kestrel's own or that of the event loops. The gate counts the connections of
        // both. Kestrel takes the last registered factory that can bind an end point.
        builder.Services.AddSingleton<IConnectionListenerFactory>(services =>
            new GatedListenerFactory(
                options.Sockets == SocketEngine.Loop && EventLoop.IsSupported
                    ? ActivatorUtilities.CreateInstance<LoopTransportFactory>(services, gate)
                    : ActivatorUtilities.CreateInstance<SocketTransportFactory>(services), gate));
        if (options.Child is not null)
        {
            builder.Services.AddSingleton<IConnectionListenerFactory>(services =>
                ActivatorUtilities.CreateInstance<ChildListenerFactory>(services, options));
        }
        if (OperatingSystem.IsWindows())
            WindowsPipes.Configure(builder, options);
        return builder;
    }

    private static void Configure(SocketTransportOptions sockets, ServerOptions options, IReadOnlyList<ServerEndpoint> endpoints)
    {
        sockets.CreateBoundListenSocket = Take(endpoints);
        sockets.Backlog = options.Backlog;
        // The most received bytes of one connection that may wait for the application. An echo lets them wait when its
        // client does not read the answers.
        sockets.MaxReadBufferSize = KestrelLimits.MostUnread;
        sockets.NoDelay = !options.Nagle;
        sockets.UnsafePreferInlineScheduling = options.Inline;
        sockets.WaitForDataBeforeAllocatingBuffer = !options.EagerReceive;
        if (options.IoQueues is { } queues)
            sockets.IOQueueCount = queues;
    }

    private static void Configure(LoopTransportOptions sockets, ServerOptions options, IReadOnlyList<ServerEndpoint> endpoints)
    {
        sockets.CreateBoundListenSocket = Take(endpoints);
        sockets.Backlog = options.Backlog;
        sockets.MaxReadBufferSize = KestrelLimits.MostUnread;
        sockets.NoDelay = !options.Nagle;
        sockets.UnsafePreferInlineScheduling = options.Inline;
        if (options.IoQueues is > 0 and var loops)
            sockets.Loops = loops;
    }

    private static Func<EndPoint, Socket> Take(IReadOnlyList<ServerEndpoint> endpoints)
    {
        var bound = endpoints.SelectMany(endpoint => endpoint.Sockets).ToDictionary(socket => socket.EndPoint, socket => socket.Socket);
        return endPoint =>
            bound.TryGetValue(endPoint, out var socket) ? socket : throw new InvalidOperationException($"{endPoint} was not bound");
    }
}

/// <summary>Settings of Kestrel's named-pipe transport.</summary>
[SupportedOSPlatform("windows")]
internal static class WindowsPipes
{
    public static void Configure(WebApplicationBuilder builder, ServerOptions options) => builder.WebHost.UseNamedPipes(pipes =>
    {
        pipes.CurrentUserOnly = true;
        pipes.MaxReadBufferSize = KestrelLimits.MostUnread;
        if (options.PipeListeners is { } listeners)
            pipes.ListenerQueueCount = listeners;
        // By default Kestrel asks for kernel buffers of 0 bytes. Every write then waits until the other side reads.
        if (options.PipeBuffer is { } size)
            pipes.CreateNamedPipeServerStream = context => Create(context, size);
    });

    private static NamedPipeServerStream Create(CreateNamedPipeServerStreamContext context, int size) => new(
        context.NamedPipeEndPoint.PipeName,
        PipeDirection.InOut,
        NamedPipeServerStream.MaxAllowedServerInstances,
        PipeTransmissionMode.Byte,
        context.PipeOptions,
        inBufferSize: size,
        outBufferSize: size);
}
