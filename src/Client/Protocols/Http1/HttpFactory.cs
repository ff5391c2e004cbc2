using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.InOrder;

namespace IpcBench.Client.Protocols.Http1;

/// <summary>Makes the connections of the HTTP/1.1 client.</summary>
internal static class HttpFactory
{
    private const int HeadRoom = 1024;

    public static async Task<IConnectionFactory> CreateAsync(LoadOptions options, CancellationToken cancellation)
    {
        var asked = options.Request ?? throw new ArgumentException("an HTTP/1.1 call has to ask for something", nameof(options));
        var request = asked.ToBytes(close: options.ConnectPerCall);
        var links = await LinksAsync(options, cancellation);
        return new InOrderFactory(links, 1, () => new HttpProtocol(request, asked, closes: options.ConnectPerCall), reopens: !options.ConnectPerCall);
    }

    /// <summary>Links that agree on HTTP/1.1 where there is something to agree on.</summary>
    public static Task<LinkSource> LinksAsync(LoadOptions options, CancellationToken cancellation) =>
        LinkSource.ForAsync(options with { Connector = options.Connector with { Alpn = "http/1.1" } }, options.Size + HeadRoom, cancellation);
}
