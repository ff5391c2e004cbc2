using System.Globalization;
using IpcBench.Client.Load;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Callers.Wire;

/// <summary>Makes the connections of the lean gRPC client.</summary>
internal sealed class WireFactory : IConnectionFactory
{
    private readonly ILinkOpener opener;
    private readonly SessionOptions session;
    private readonly Dictionary<Lane, BufferPool> pools = [];

    public WireFactory(ILinkOpener opener, SessionOptions session, bool usesLoops) => (this.opener, this.session, UsesLoops) = (opener, session, usesLoops);

    public long ConnectRetries => opener.Retries;

    public bool UsesLoops { get; }

    public static async Task<WireFactory> CreateAsync(LoadOptions options, CancellationToken cancellation)
    {
        var session = new SessionOptions
        {
            Request = RequestBytes.Download(Authority(options.Address), options.Address is Address.Tls, options.Size),
            Size = options.Size,
            Streams = options.Streams,
            Window = options.Http2Window ?? ReceiveWindow.Ample,
        };
        var bufferSize = (int)Math.Clamp(System.Numerics.BitOperations.RoundUpToPowerOf2((ulong)(options.Size + 1024) * (ulong)options.Streams), 4096, 64 * 1024);
        if (EventLoop.IsSupported && await LoopConnector.ForAsync(options.Address, options.Connector, cancellation) is { } connector)
            return new WireFactory(new LoopLinkOpener(connector, options.Address, options.Connector, bufferSize), session, usesLoops: true);
        return new WireFactory(new StreamLinkOpener(Connector.For(options.Address, options.Connector), bufferSize), session, usesLoops: false);
    }

    public ICallConnection Create(Lane lane)
    {
        // A loop's connections share their buffers; others run on several threads and keep their own.
        if (!UsesLoops)
            return new WireConnection(lane, opener, session, new BufferPool(), isShared: true);
        if (!pools.TryGetValue(lane, out var pool))
            pools.Add(lane, pool = new BufferPool());
        return new WireConnection(lane, opener, session, pool, isShared: false);
    }

    private static string Authority(Address address) => address switch
    {
        Address.Tcp tcp => HostAndPort(tcp.Host, tcp.Port),
        Address.Tls tls => HostAndPort(tls.Host, tls.Port),
        _ => "localhost",
    };

    private static string HostAndPort(string host, int port) =>
        string.Create(CultureInfo.InvariantCulture, $"{(host.Contains(':', StringComparison.Ordinal) ? $"[{host}]" : host)}:{port}");
}
