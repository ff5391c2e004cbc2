using System.Buffers;
using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.LoopSockets;

/// <summary>Connections of a client on event loops, for <see cref="System.Net.Http.SocketsHttpHandler.ConnectCallback"/>.</summary>
public static class LoopSockets
{
    private const long MostWaiting = 1 << 20;

    private static uint turn;

    /// <summary>This system has epoll; where it is false, connecting gives an ordinary <see cref="NetworkStream"/>.</summary>
    [SupportedOSPlatformGuard("linux")]
    public static bool IsSupported => EventLoop.IsSupported;

    /// <summary>
    /// Connects by an event loop. Reads and writes of the stream are for any thread, one of each at a time; they continue on the thread
    /// pool.
    /// </summary>
    /// <param name="endPoint">An <see cref="IPEndPoint"/>, <see cref="DnsEndPoint"/> or <see cref="UnixDomainSocketEndPoint"/>.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <exception cref="IOException">Nobody answers there.</exception>
    /// <exception cref="NotSupportedException">It is another kind of end point.</exception>
    public static async ValueTask<Stream> Connect(EndPoint endPoint, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(endPoint);
        Address address = endPoint switch
        {
            DnsEndPoint dns => new Address.Tcp(dns.Host, dns.Port),
            IPEndPoint ip => new Address.Tcp(ip.Address.ToString(), ip.Port),
            UnixDomainSocketEndPoint local => UnixAddress(local),
            _ => throw new NotSupportedException($"no sockets for {endPoint.GetType().Name}: name an IP, DNS or Unix socket end point"),
        };
        var options = new ConnectorOptions();
        if (!IsSupported)
            return await Connector.For(address, options).ConnectAsync(cancellation);
        var connector = await LoopConnector.ForAsync(address, options, cancellation);
        return await ConnectAsync(connector!, cancellation);
    }

    /// <summary>The same, as <see cref="System.Net.Http.SocketsHttpHandler.ConnectCallback"/> has it.</summary>
    public static ValueTask<Stream> Connect(SocketsHttpConnectionContext context, CancellationToken cancellation)
    {
        ArgumentNullException.ThrowIfNull(context);
        return Connect(context.DnsEndPoint, cancellation);
    }

    // A name of the abstract namespace is written with @ in place of its NUL.
    private static Address UnixAddress(UnixDomainSocketEndPoint endPoint) =>
        endPoint.ToString() is ['@', .. var name] ? new Address.UnixAbstract(name) : new Address.Unix(endPoint.ToString());

    [SupportedOSPlatform("linux")]
    private static Task<Stream> ConnectAsync(LoopConnector connector, CancellationToken cancellation)
    {
        var threads = Threads.Value;
        var thread = threads[Interlocked.Increment(ref turn) % (uint)threads.Length];
        var opened = new TaskCompletionSource<Stream>(TaskCreationOptions.RunContinuationsAsynchronously);
        thread.Loop.Post(_ => _ = OpenAsync(), null);
        return opened.Task;

        async Task OpenAsync()
        {
            try
            {
                var pipes = new SocketPipes(thread.Input, thread.Output, static () => { });
                pipes.Start(await connector.ConnectAsync(thread.Loop, pipes, cancellation).ConfigureAwait(false));
                opened.SetResult(new SocketPipesStream(pipes, thread.Loop));
            }
#pragma warning disable CA1031 // Whatever it is, it is told to the one who waits.
            catch (Exception e)
#pragma warning restore CA1031
            {
                opened.TrySetException(e);
            }
        }
    }

    /// <summary>The loops of all clients of this process, made with the first connection.</summary>
    [SupportedOSPlatform("linux")]
    private static class Threads
    {
        public static readonly LoopThread[] Value =
        [
            .. Enumerable.Range(0, Math.Clamp(Environment.ProcessorCount / 2, 1, 8)).Select(static index => new LoopThread(
                FormattableString.Invariant($"client loop {index}"), MemoryPool<byte>.Shared, (MostWaiting, MostWaiting), inline: false,
                static _ => { })),
        ];
    }
}
