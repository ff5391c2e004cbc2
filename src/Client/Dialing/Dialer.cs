using System.Numerics;
using System.Runtime.Versioning;
using IpcBench.Client.Engine;
using IpcBench.Transports;
using IpcBench.Transports.Loop;
using IpcBench.Transports.Rings;

namespace IpcBench.Client.Dialing;

/// <summary>Opens the duplexes (<see cref="Duplex"/>) of one cell, and keeps the buffers that they share.</summary>
/// <param name="usesLoops">True when the duplexes run on event loops. False when they run on threads that .NET chooses.</param>
internal abstract class Dialer(bool usesLoops)
{
    private readonly Dictionary<Scheduler, BufferPool> pools = [];

    public bool UsesLoops => usesLoops;

    /// <summary>How often an attempt to connect was repeated because the server's accept queue was full.</summary>
    public abstract long Retries { get; }

    /// <summary>
    /// Makes the dialer for the address. Except for shared memory, the dialer uses event loops where the system and the transport allow
    /// them, otherwise .NET's streams.
    /// </summary>
    /// <param name="bytesAtOnce">
    /// The number of bytes that a connection may receive at once. Sets the receive buffer (4 to 64 KiB), except for plain loop sockets.
    /// </param>
    /// <exception cref="IOException">The host name has no address.</exception>
    public static async Task<Dialer> ForAsync(Address address, ConnectorOptions options, long bytesAtOnce, CancellationToken cancellation)
    {
        var bufferSize = (int)Math.Clamp(BitOperations.RoundUpToPowerOf2((ulong)bytesAtOnce), 4096, 64 * 1024);
        if (address is Address.Child { Transport: Address.Child.SharedMemory } shared)
            return new RingDialer(shared, options.Wait, bufferSize);
        return EventLoop.IsSupported && await LoopConnector.ForAsync(address, options, cancellation) is { } connector
            ? new LoopDialer(connector, address, options, bufferSize)
            : new StreamDialer(Connector.For(address, options), bufferSize);
    }

    /// <summary>Opens a duplex for the scheduler. The duplex delivers nothing before <see cref="Duplex.Start"/>.</summary>
    /// <exception cref="IOException">The duplex could not be opened. The message says why.</exception>
    public abstract ValueTask<Duplex> OpenAsync(Scheduler scheduler, IDuplexOwner owner, CancellationToken cancellation);

    /// <summary>Makes the source from which the engine takes its connections.</summary>
    /// <param name="make">Makes a connection over the duplexes of this dialer.</param>
    public ConnectionSource Connections(Func<Scheduler, IConnection> make) => new(make, usesLoops, () => Retries);

    /// <summary>
    /// Returns the buffer pool for a new connection. The connections of a loop share one pool. A connection
    /// that runs on no loop has its own pool. Any thread may call this method.
    /// </summary>
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

/// <summary>Opens duplexes on event loops: plain sockets, and TLS over plain sockets.</summary>
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
            // The registration is not disposed (see DuplexConnection.OpenAsync). If the callback runs late, it aborts an attempt to
            // connect that was cancelled anyway.
            var registration = cancellation.UnsafeRegister(_ => loop.Post(_ => inner.Abort(), null), null);
            try
            {
                try
                {
                    var stream = await new TlsConnector(inner, tls.Host, options).ConnectAsync(cancellation);
                    return new StreamDuplex(scheduler, owner, stream, bufferSize);
                }
                catch (IOException) when (cancellation.IsCancellationRequested)
                {
                    // The cancellation has closed the socket (Abort) during the TLS handshake.
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

/// <summary>
/// Opens duplexes over .NET's streams: for named pipes, and for all transports but shared memory on systems without the event loop.
/// </summary>
internal sealed class StreamDialer(Connector connector, int bufferSize) : Dialer(usesLoops: false)
{
    public override long Retries => connector.Retries;

    public override async ValueTask<Duplex> OpenAsync(Scheduler scheduler, IDuplexOwner owner, CancellationToken cancellation) =>
        new StreamDuplex(scheduler, owner, await connector.ConnectAsync(cancellation), bufferSize);
}

/// <summary>Opens duplexes through shared memory. Each duplex has its own thread, which waits in the way that the options set.</summary>
internal sealed class RingDialer(Address.Child address, RingWait wait, int bufferSize) : Dialer(usesLoops: false)
{
    public override long Retries => 0;

    public override ValueTask<Duplex> OpenAsync(Scheduler scheduler, IDuplexOwner owner, CancellationToken cancellation) =>
        new(new RingDuplex(owner, RingConnector.Start(address, wait), bufferSize));
}
