using System.Runtime.Versioning;
using IpcBench.Client.Load;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Callers.Wire;

/// <summary>Links on event loops: plain sockets, and TLS over one.</summary>
[SupportedOSPlatform("linux")]
internal sealed class LoopLinkOpener(LoopConnector connector, Address address, ConnectorOptions options, int bufferSize) : ILinkOpener
{
    public long Retries => connector.Retries;

    public async ValueTask<Link> OpenAsync(Lane lane, ILinkOwner owner, CancellationToken cancellation)
    {
        var loop = ((LoopLane)lane).Loop;
        if (address is Address.Tls tls)
        {
            var stream = await new TlsConnector(new LoopStreamConnector(loop, connector), tls.Host, options).ConnectAsync(cancellation);
            return new StreamLink(owner, stream, bufferSize);
        }
        var link = new SocketLink(owner);
        link.Attach(await connector.ConnectAsync(loop, link, cancellation));
        return link;
    }
}
