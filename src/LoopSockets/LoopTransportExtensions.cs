using IpcBench.Transports.Loop;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace IpcBench.LoopSockets;

/// <summary>Runs Kestrel's connections on event loops.</summary>
public static partial class LoopTransportExtensions
{
    /// <summary>
    /// Serves TCP and Unix sockets from event loops in place of System.Net.Sockets. Call this after <c>UseKestrel</c>. On
    /// a system without epoll, Kestrel keeps its own transport and a warning is logged at start.
    /// </summary>
    public static IWebHostBuilder UseLoopTransport(this IWebHostBuilder builder, Action<LoopTransportOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.ConfigureServices(services =>
        {
            if (configure is not null)
                services.Configure(configure);
            if (EventLoop.IsSupported)
                services.AddSingleton<IConnectionListenerFactory, LoopTransportFactory>();
            else
                services.AddHostedService<Absence>();
        });
    }

    /// <summary>Logs at start that this system has no event loops.</summary>
    private sealed partial class Absence(ILogger<Absence> logger) : IHostedService
    {
        public Task StartAsync(CancellationToken cancellationToken)
        {
            LogAbsence(logger);
            return Task.CompletedTask;
        }

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        [LoggerMessage(
            Level = LogLevel.Warning, Message = "UseLoopTransport needs Linux's epoll: this server uses System.Net.Sockets instead.")]
        private static partial void LogAbsence(ILogger logger);
    }
}
