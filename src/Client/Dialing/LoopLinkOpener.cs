using System.Runtime.Versioning;
using IpcBench.Client.Engine;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Dialing;

/// <summary>Links on event loops: plain sockets, and TLS over one.</summary>
[SupportedOSPlatform("linux")]
internal sealed class LoopLinkOpener(LoopConnector connector, Address address, ConnectorOptions options, int bufferSize) : ILinkOpener
{
    public long Retries => connector.Retries;

    public async ValueTask<Duplex> OpenAsync(Scheduler scheduler, IDuplexOwner owner, CancellationToken cancellation)
    {
        var loop = ((LoopScheduler)scheduler).Loop;
        if (address is Address.Tls tls)
        {
            var inner = new LoopStreamConnector(loop, connector);
            await using var registration = cancellation.UnsafeRegister(_ => loop.Post(_ => inner.Abort(), null), null);
            return new StreamDuplex(owner, await new TlsConnector(inner, tls.Host, options).ConnectAsync(cancellation), bufferSize);
        }
        var duplex = new SocketDuplex(owner);
        duplex.Attach(await connector.ConnectAsync(loop, duplex, cancellation));
        return duplex;
    }
}
