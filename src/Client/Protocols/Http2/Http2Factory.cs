using System.Globalization;
using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Transports;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>Makes the connections of the lean HTTP/2 client, with gRPC or bare.</summary>
internal sealed class Http2Factory(LinkSource links, Http2Options session, bool reopens = true) : IConnectionFactory
{
    public long ConnectRetries => links.Opener.Retries;

    public bool UsesLoops => links.UsesLoops;

    public static async Task<Http2Factory> CreateAsync(LoadOptions options, CancellationToken cancellation)
    {
        var (authority, isTls) = (Authority(options.Address), options.Address is Address.Tls);
        var session = new Http2Options
        {
            Request = options.Protocol == ProtocolTable.Http2 ? Http2Request.Bare(authority, isTls, options.Size) : Http2Request.Download(authority, isTls, options.Size),
            Size = options.Size,
            Streams = options.Streams,
            Window = options.Http2Window ?? ReceiveWindow.Ample,
        };
        return new Http2Factory(await LinkSource.ForAsync(options, (options.Size + 1024) * options.Streams, cancellation), session, reopens: !options.ConnectPerCall);
    }

    public IConnection Create(Scheduler scheduler) => new Http2Client(scheduler, links.Opener, session, links.PoolFor(scheduler), isShared: !links.UsesLoops) { Reopens = reopens };

    /// <summary>What names the server in a request: host and port, or localhost where there are none.</summary>
    internal static string Authority(Address address) => address switch
    {
        Address.Tcp tcp => HostAndPort(tcp.Host, tcp.Port),
        Address.Tls tls => HostAndPort(tls.Host, tls.Port),
        _ => "localhost",
    };

    private static string HostAndPort(string host, int port) =>
        string.Create(CultureInfo.InvariantCulture, $"{(host.Contains(':', StringComparison.Ordinal) ? $"[{host}]" : host)}:{port}");
}
