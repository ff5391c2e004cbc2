using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;

namespace IpcBench.Client.Protocols.InOrder;

/// <summary>Makes serial connections.</summary>
/// <param name="links">Where their links come from.</param>
/// <param name="atOnce">Calls that may be out at a time on each.</param>
/// <param name="protocol">Makes what one of them speaks.</param>
/// <param name="reopens">Connections that die are opened again.</param>
internal sealed class InOrderFactory(LinkSource links, int atOnce, Func<InOrderProtocol> protocol, bool reopens = true) : IConnectionFactory
{
    public long ConnectRetries => links.Opener.Retries;

    public bool UsesLoops => links.UsesLoops;

    public IConnection Create(Scheduler scheduler) =>
        new InOrderConnection(scheduler, links.Opener, links.PoolFor(scheduler), protocol(), atOnce, isShared: !links.UsesLoops) { Reopens = reopens };
}
