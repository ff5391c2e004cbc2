using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using IpcBench.Transports.Loop;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

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

/// <summary>Settings of <see cref="LoopTransportExtensions.UseLoopTransport"/>, named like those of Kestrel's socket transport.</summary>
public sealed class LoopTransportOptions
{
    /// <summary>
    /// The number of event loops, each on its own thread. Connections go to the loops in turn. Default: half the number
    /// of CPUs, but at least 1 and at most 16.
    /// </summary>
    public int Loops { get; set; } = Math.Clamp(Environment.ProcessorCount / 2, 1, 16);

    /// <summary>The number of connections that may wait to be accepted. The system limits this number (net.core.somaxconn).</summary>
    public int Backlog { get; set; } = 512;

    /// <summary>
    /// The number of received bytes of a connection that may wait for the application. When it is reached, reading
    /// pauses. Null for no limit.
    /// </summary>
    public long? MaxReadBufferSize { get; set; } = 1024 * 1024;

    /// <summary>
    /// The number of bytes of a connection that may wait to be sent. When it is reached, the
    /// application's flushes wait. Null for no limit.
    /// </summary>
    public long? MaxWriteBufferSize { get; set; } = 64 * 1024;

    /// <summary>Whether to set TCP_NODELAY.</summary>
    public bool NoDelay { get; set; } = true;

    /// <summary>
    /// Whether the application runs on the loop's thread until its first await, which saves a hop to the thread pool.
    /// Only for applications that never block. A blocked thread stops all connections of its loop, and may wait for bytes
    /// that only this thread could read.
    /// </summary>
    public bool UnsafePreferInlineScheduling { get; set; }

    /// <summary>Creates and binds the socket for an end point. The socket may listen already.</summary>
    public Func<EndPoint, Socket> CreateBoundListenSocket { get; set; } = SocketTransportOptions.CreateDefaultBoundListenSocket;
}

/// <summary>Kestrel's transport for TCP and Unix sockets on event loops. The threads end when the factory is disposed.</summary>
[SupportedOSPlatform("linux")]
public sealed partial class LoopTransportFactory : IConnectionListenerFactory, IConnectionListenerFactorySelector, IDisposable
{
    private readonly LoopTransportOptions options;
    private readonly IReadOnlyList<LoopThread> threads;
    private readonly ILogger logger;
    private uint turn;

    public LoopTransportFactory(
        IOptions<LoopTransportOptions> options, IMemoryPoolFactory<byte> pools, ILogger<LoopTransportFactory> logger)
    {
        (this.options, this.logger) = (options.Value, logger);
        ArgumentOutOfRangeException.ThrowIfLessThan(this.options.Loops, 1);
        var most = (this.options.MaxReadBufferSize, this.options.MaxWriteBufferSize);
        var inline = this.options.UnsafePreferInlineScheduling;
        threads = LoopThread.Start(
            this.options.Loops,
            index => new LoopThread(FormattableString.Invariant($"loop {index}"), pools.Create(), most, inline, OnFault));
    }

    public bool CanBind(EndPoint endpoint) => endpoint is IPEndPoint or UnixDomainSocketEndPoint;

    /// <summary>Listens on an end point.</summary>
    /// <exception cref="AddressInUseException">Another socket listens on the end point.</exception>
    public async ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(endpoint);
        Socket socket;
        try
        {
            socket = options.CreateBoundListenSocket(endpoint);
        }
        catch (SocketException e) when (e.SocketErrorCode == SocketError.AddressAlreadyInUse)
        {
            throw new AddressInUseException(e.Message, e);
        }
        try
        {
            socket.Listen(options.Backlog);
            return await LoopConnectionListener.StartAsync(socket, Next, options.NoDelay, reason => LogFailure(logger, reason));
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    public void Dispose()
    {
        if (LoopThread.End(threads) is { Count: > 0 } blocked)
            LogBlocked(logger, string.Join(", ", blocked), (int)LoopThread.EndLimit.TotalSeconds);
    }

    private LoopThread Next() => threads[(int)(Interlocked.Increment(ref turn) % (uint)threads.Count)];

    private void OnFault(Exception e) => LogFault(logger, e);

    [LoggerMessage(
        Level = LogLevel.Warning, Message = "No connection can be accepted ({Reason}); the listener tries again every 50 ms.")]
    private static partial void LogFailure(ILogger logger, string reason);

    [LoggerMessage(
        Level = LogLevel.Warning,
        Message = "The threads of {Loops} did not end within {Seconds} s: the application blocks these threads, on which "
            + "UnsafePreferInlineScheduling runs the application.")]
    private static partial void LogBlocked(ILogger logger, string loops, int seconds);

    [LoggerMessage(Level = LogLevel.Error, Message = "An exception on an event loop's thread was caught; the loop goes on.")]
    private static partial void LogFault(ILogger logger, Exception e);
}
