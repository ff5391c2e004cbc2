using System.Net;
using System.Net.Sockets;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Options;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;

namespace IpcBench.Server.Hosting;

/// <summary>A host with Kestrel on the given endpoints and nothing else: no configuration files, no logging, no middleware.</summary>
internal static class KestrelHost
{
    public static WebApplicationBuilder CreateBuilder(
        ServerOptions options, IReadOnlyList<ServerEndpoint> endpoints, long maxConnections, AcceptGate gate)
    {
        // The empty builder reads no appsettings.json and no ASPNETCORE_URLS: where this server listens is said on its command line alone.
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore().UseKestrelHttpsConfiguration();
        builder.Services.Configure<KestrelServerOptions>(kestrel =>
        {
            KestrelLimits.Apply(kestrel, options, maxConnections);
            foreach (var endpoint in endpoints)
                endpoint.AddTo(kestrel);
        });
        builder.Services.Configure<SocketTransportOptions>(sockets => Configure(sockets, options, endpoints));
        // Kestrel's own factory for sockets, behind the gate. The last registered that can bind an end point is taken.
        builder.Services.AddSingleton<IConnectionListenerFactory>(services =>
            new GatedListenerFactory(ActivatorUtilities.CreateInstance<SocketTransportFactory>(services), gate));
        if (OperatingSystem.IsWindows())
            WindowsPipes.Configure(builder, options);
        return builder;
    }

    private static void Configure(SocketTransportOptions sockets, ServerOptions options, IReadOnlyList<ServerEndpoint> endpoints)
    {
        var bound = endpoints.SelectMany(endpoint => endpoint.Sockets).ToDictionary(socket => socket.EndPoint, socket => socket.Socket);
        sockets.CreateBoundListenSocket = endPoint => Take(bound, endPoint);
        sockets.Backlog = options.Backlog;
        // Bytes that wait to be read by this program, of one connection: an echo whose client does not read leaves them there.
        sockets.MaxReadBufferSize = KestrelLimits.MostUnread;
        sockets.NoDelay = !options.Nagle;
        sockets.UnsafePreferInlineScheduling = options.Inline;
        if (options.IoQueues is { } queues)
            sockets.IOQueueCount = queues;
    }

    private static Socket Take(Dictionary<EndPoint, Socket> bound, EndPoint endPoint) =>
        bound.TryGetValue(endPoint, out var socket) ? socket : throw new InvalidOperationException($"{endPoint} was not bound");
}
