using System.Net;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace IpcBench.Server.Tests.Support;

/// <summary>A user's application on one of Kestrel's transports: HTTP/1.1, HTTP/2 without TLS, HTTPS and a Unix socket.</summary>
internal sealed class KestrelApplication : IAsyncDisposable
{
    private readonly WebApplication host;

    private KestrelApplication(string sockets, X509Certificate2 certificate)
    {
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Logging.AddProvider(Log);
        builder.WebHost.UseKestrelCore().UseKestrelHttpsConfiguration().UseTransport(sockets);
        builder.Services.Configure<KestrelServerOptions>(kestrel =>
        {
            kestrel.Listen(IPAddress.Loopback, 0, listen => listen.Protocols = HttpProtocols.Http1);
            kestrel.Listen(IPAddress.Loopback, 0, listen => listen.Protocols = HttpProtocols.Http2);
            kestrel.Listen(IPAddress.Loopback, 0, listen => listen.UseHttps(certificate));
            kestrel.ListenUnixSocket(Path, listen => listen.Protocols = HttpProtocols.Http1);
        });
        host = builder.Build();
        host.UseWebSockets();
        host.Run(ServeAsync);
    }

    public CollectedLog Log { get; } = new();

    public string Path { get; } = Addresses.Unix().Path;

    /// <summary>HTTP/1.1.</summary>
    public Uri Http => Urls[0];

    /// <summary>HTTP/2 without TLS.</summary>
    public Uri Http2 => Urls[1];

    public Uri Https => Urls[2];

    private List<Uri> Urls => [.. host.Urls.Where(url => !url.Contains("unix", StringComparison.Ordinal)).Select(url => new Uri(url))];

    public static async Task<KestrelApplication> StartAsync(string sockets, X509Certificate2 certificate)
    {
        var application = new KestrelApplication(sockets, certificate);
        await application.host.StartAsync().WaitAsync(Limits.Wait);
        return application;
    }

    public async ValueTask DisposeAsync()
    {
        await host.StopAsync().WaitAsync(Limits.Wait);
        await host.DisposeAsync().AsTask().WaitAsync(Limits.Wait);
        File.Delete(Path);
    }

    private static async Task ServeAsync(HttpContext context)
    {
        if (context.WebSockets.IsWebSocketRequest)
        {
            using var socket = await context.WebSockets.AcceptWebSocketAsync();
            var buffer = new byte[64 << 10];
            while (await socket.ReceiveAsync(buffer, context.RequestAborted) is { CloseStatus: null } part)
                await socket.SendAsync(buffer.AsMemory(0, part.Count), part.MessageType, part.EndOfMessage, context.RequestAborted);
            await socket.CloseAsync(System.Net.WebSockets.WebSocketCloseStatus.NormalClosure, null, context.RequestAborted);
        }
        else if (context.Features.Get<IHttpUpgradeFeature>() is { IsUpgradableRequest: true } upgrade)
        {
            await using var stream = await upgrade.UpgradeAsync();
            await stream.CopyToAsync(stream);
        }
        else
        {
            var body = new MemoryStream();
            await context.Request.Body.CopyToAsync(body);
            await context.Response.Body.WriteAsync(body.ToArray());
        }
    }
}
