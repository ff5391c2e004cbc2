using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using IpcBench.Transports.Loop;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace IpcBench.LoopSockets;

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
