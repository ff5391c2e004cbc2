using System.Numerics;
using System.Runtime.Versioning;
using IpcBench.Client.Engine;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Dialing;

/// <summary>Opens the duplexes of one cell to its address, and keeps the buffers that they share.</summary>
/// <param name="usesLoops">They live on event loops; otherwise the framework chooses the threads.</param>
internal abstract class Dialer(bool usesLoops)
{
    private readonly Dictionary<Scheduler, BufferPool> pools = [];

    public bool UsesLoops => usesLoops;

    /// <summary>Connects tried again because the server's accept queue was full.</summary>
    public abstract long Retries { get; }

    /// <summary>The fastest way to the address that this system has.</summary>
    /// <param name="address">Where to.</param>
    /// <param name="options">Settings of its sockets and of TLS.</param>
    /// <param name="bytesAtOnce">What may come at once on a connection; the receive buffers hold it within reason.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <exception cref="IOException">The host name has no address.</exception>
    public static async Task<Dialer> ForAsync(Address address, ConnectorOptions options, long bytesAtOnce, CancellationToken cancellation)
    {
        var bufferSize = (int)Math.Clamp(BitOperations.RoundUpToPowerOf2((ulong)bytesAtOnce), 4096, 64 * 1024);
        return EventLoop.IsSupported && await LoopConnector.ForAsync(address, options, cancellation) is { } connector
            ? new LoopDialer(connector, address, options, bufferSize)
            : new StreamDialer(Connector.For(address, options), bufferSize);
    }

    /// <summary>Opens a duplex where the scheduler's completions run; nothing is delivered before <see cref="Duplex.Start"/>.</summary>
    /// <exception cref="IOException">It could not be opened; the message says why not.</exception>
    public abstract ValueTask<Duplex> OpenAsync(Scheduler scheduler, IDuplexOwner owner, CancellationToken cancellation);

    /// <summary>Connections over these duplexes, for the engine.</summary>
    public ConnectionSource Connections(Func<Scheduler, IConnection> make) => new(make, usesLoops, () => Retries);

    /// <summary>A loop's connections share their buffers; others run on several threads and keep their own. From any thread.</summary>
    public BufferPool PoolFor(Scheduler scheduler)
    {
        if (!usesLoops)
            return new BufferPool();
        lock (pools)
        {
            if (!pools.TryGetValue(scheduler, out var pool))
                pools.Add(scheduler, pool = new BufferPool());
            return pool;
        }
    }
}

/// <summary>Opens duplexes on event loops: plain sockets, and TLS over one.</summary>
[SupportedOSPlatform("linux")]
internal sealed class LoopDialer(LoopConnector connector, Address address, ConnectorOptions options, int bufferSize)
    : Dialer(usesLoops: true)
{
    public override long Retries => connector.Retries;

    public override async ValueTask<Duplex> OpenAsync(Scheduler scheduler, IDuplexOwner owner, CancellationToken cancellation)
    {
        var loop = ((LoopScheduler)scheduler).Loop;
        if (address is Address.Tls tls)
        {
            var inner = new LoopStreamConnector(loop, connector);
            // Not disposed: see DuplexConnection. One too late ends what its caller gives up as well.
            var registration = cancellation.UnsafeRegister(_ => loop.Post(_ => inner.Abort(), null), null);
            try
            {
                try
                {
                    return new StreamDuplex(owner, await new TlsConnector(inner, tls.Host, options).ConnectAsync(cancellation), bufferSize);
                }
                catch (IOException) when (cancellation.IsCancellationRequested)
                {
                    // Abort has closed the socket under the handshake: nobody answered in time.
                    throw new OperationCanceledException(cancellation);
                }
            }
            finally
            {
                registration.Unregister();
            }
        }
        var duplex = new SocketDuplex(owner);
        duplex.Attach(await connector.ConnectAsync(loop, duplex, cancellation));
        return duplex;
    }
}

/// <summary>Opens duplexes over the framework's streams: pipes everywhere, and everything where there is no event loop.</summary>
internal sealed class StreamDialer(Connector connector, int bufferSize) : Dialer(usesLoops: false)
{
    public override long Retries => connector.Retries;

    public override async ValueTask<Duplex> OpenAsync(Scheduler scheduler, IDuplexOwner owner, CancellationToken cancellation) =>
        new StreamDuplex(owner, await connector.ConnectAsync(cancellation), bufferSize);
}
