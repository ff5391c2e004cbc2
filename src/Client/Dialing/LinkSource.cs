using IpcBench.Client.Engine;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Dialing;

/// <summary>Where the links of one cell come from, and the buffers they share.</summary>
internal sealed class LinkSource(ILinkOpener opener, bool usesLoops)
{
    private readonly Dictionary<Scheduler, BufferPool> pools = [];

    public ILinkOpener Opener => opener;

    /// <summary>Links live on event loops; otherwise the framework chooses the threads.</summary>
    public bool UsesLoops => usesLoops;

    /// <summary>The fastest way to the address that this system has.</summary>
    /// <param name="options">The address and its settings.</param>
    /// <param name="bytesAtOnce">What may come at once on a connection; the receive buffers hold it within reason.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <exception cref="IOException">The host name has no address.</exception>
    public static async Task<LinkSource> ForAsync(LoadOptions options, long bytesAtOnce, CancellationToken cancellation)
    {
        var bufferSize = (int)Math.Clamp(System.Numerics.BitOperations.RoundUpToPowerOf2((ulong)bytesAtOnce), 4096, 64 * 1024);
        if (EventLoop.IsSupported && await LoopConnector.ForAsync(options.Address, options.Connector, cancellation) is { } connector)
            return new LinkSource(new LoopLinkOpener(connector, options.Address, options.Connector, bufferSize), usesLoops: true);
        return new LinkSource(new StreamLinkOpener(Connector.For(options.Address, options.Connector), bufferSize), usesLoops: false);
    }

    /// <summary>A loop's connections share their buffers; others run on several threads and keep their own.</summary>
    public BufferPool PoolFor(Scheduler scheduler)
    {
        if (!usesLoops)
            return new BufferPool();
        if (!pools.TryGetValue(scheduler, out var pool))
            pools.Add(scheduler, pool = new BufferPool());
        return pool;
    }
}
