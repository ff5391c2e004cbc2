using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace IpcBench.LoopSockets;

/// <summary>Kestrel's transport for TCP and Unix sockets on event loops. Its threads live as long as it does.</summary>
[SupportedOSPlatform("linux")]
public sealed partial class LoopTransportFactory : IConnectionListenerFactory, IConnectionListenerFactorySelector, IDisposable
{
    private readonly LoopTransportOptions options;
    private readonly LoopThread[] threads;
    private readonly ILogger logger;
    private uint turn;

    public LoopTransportFactory(
        IOptions<LoopTransportOptions> options, IMemoryPoolFactory<byte> pools, ILogger<LoopTransportFactory> logger)
    {
        (this.options, this.logger) = (options.Value, logger);
        ArgumentOutOfRangeException.ThrowIfLessThan(this.options.Loops, 1);
        var most = (this.options.MaxReadBufferSize, this.options.MaxWriteBufferSize);
        threads = [.. Enumerable.Range(0, this.options.Loops).Select(
            index => new LoopThread(FormattableString.Invariant($"loop {index}"), pools.Create(), most, inline: true, OnFault))];
    }

    public bool CanBind(EndPoint endpoint) => endpoint is IPEndPoint or UnixDomainSocketEndPoint;

    /// <summary>Listens.</summary>
    /// <exception cref="AddressInUseException">Somebody else does.</exception>
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
        foreach (var thread in threads)
            thread.Dispose();
    }

    private LoopThread Next() => threads[Interlocked.Increment(ref turn) % (uint)threads.Length];

    private void OnFault(Exception e) => LogFault(logger, e);

    [LoggerMessage(
        Level = LogLevel.Warning, Message = "No connection can be accepted ({Reason}); it is tried again every 50 ms until one can.")]
    private static partial void LogFailure(ILogger logger, string reason);

    [LoggerMessage(Level = LogLevel.Error, Message = "An exception on an event loop's thread was caught; the loop goes on.")]
    private static partial void LogFault(ILogger logger, Exception e);
}
