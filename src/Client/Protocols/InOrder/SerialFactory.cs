using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;

namespace IpcBench.Client.Protocols.InOrder;

/// <summary>Makes serial connections.</summary>
/// <param name="links">Where their links come from.</param>
/// <param name="atOnce">Calls that may be out at a time on each.</param>
/// <param name="exchange">Makes what one of them speaks.</param>
/// <param name="reopens">Connections that die are opened again.</param>
internal sealed class SerialFactory(LinkSource links, int atOnce, Func<Exchange> exchange, bool reopens = true) : IConnectionFactory
{
    public long ConnectRetries => links.Opener.Retries;

    public bool UsesLoops => links.UsesLoops;

    public ICallConnection Create(Lane lane) =>
        new SerialConnection(lane, links.Opener, links.PoolFor(lane), exchange(), atOnce, isShared: !links.UsesLoops) { Reopens = reopens };
}
